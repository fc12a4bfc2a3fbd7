// Four blocks of 64 threads, which wait for each other at a barrier and in a ballot.
extern "C" __global__ void tiny(int *out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x & 1);
  out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x] + __popc(odd);
}
