// Memory that nobody has written has no useful value.

extern "C" __global__ void uninitialised_shared(int *out, int *untouched)
{
    __shared__ int values[32];
    (void)untouched;
    out[threadIdx.x] = values[threadIdx.x];
}
