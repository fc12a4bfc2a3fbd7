// Memory that nobody has written has no useful value.

extern "C" __global__ void uninitialised_shared(int *out)
{
    __shared__ int values[32];
    out[threadIdx.x] = values[threadIdx.x];
}
