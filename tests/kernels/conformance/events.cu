// Kernels of which one can write down every event. Blocks of 64 threads, two warps.

#define ALL 0xFFFFFFFFu

// Loads, a store to shared memory, a barrier, a load from shared memory, an atomic.
extern "C" __global__ void events_exchange(const int *image, int *out)
{
    __shared__ int tile[64];
    const int t = threadIdx.x;
    tile[t] = image[t];
    __syncthreads();
    atomicAdd(&out[blockIdx.x], tile[63 - t]);
}

// A ballot, a shuffle from the next lane, a store.
extern "C" __global__ void events_lanes(const int *image, int *out)
{
    const int t = threadIdx.x;
    const unsigned int odd = __ballot_sync(ALL, image[t] & 1);
    const int next = __shfl_sync(ALL, image[t], t + 1);
    out[t] = next * (odd != 0u);
}

// All kinds of barriers, then a shuffle.
extern "C" __global__ void events_barriers(const int *image, int *out)
{
    const int t = threadIdx.x;
    __syncthreads();
    const int any = __syncthreads_or(image[t] < 0);
    const int all = __syncthreads_and(image[t] < 0);
    const int count = __syncthreads_count(image[t] < 0);
    const int first = __shfl_sync(ALL, image[t], 0);
    out[t] = any && all ? first * count : 0;
}

// Each thread stores twice: two rounds of the synchronous schedule, and an end.
extern "C" __global__ void events_twice(const int *image, int *out)
{
    const int t = threadIdx.x;
    out[t] = image[t] + 1;
    __threadfence();
    out[t + 64] = image[t] + 2;
}

// Accesses of every width; one of 16 bytes is two of 8.
extern "C" __global__ void events_widths(unsigned char *image, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    image[1] = 0x11;
    __threadfence();
    *(unsigned short *)(image + 2) = 0x2222;
    __threadfence();
    *(unsigned int *)(image + 4) = 0x44444444u;
    __threadfence();
    *(unsigned long long *)(image + 8) = 0x8888888888888888ull;
    __threadfence();
    *(uint4 *)(image + 16) = make_uint4(1u, 2u, 3u, 4u);
    __threadfence();
    image[17] = 0xff;
    out[0] = 1;
}

extern "C" __global__ void events_fault(const int *image, int *out)
{
    out[threadIdx.x] = image[threadIdx.x];
    __threadfence();
    if (threadIdx.x == 5) {
        out[2 * blockDim.x] = 1;
    }
}
