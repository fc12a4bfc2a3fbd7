// Barriers of a block, and its shared memory.

#define MOST_THREADS 1024

// Each thread takes the value of its mirror image in the block, several times over.
extern "C" __global__ void barriers_mirror(int *out, int rounds)
{
    __shared__ int values[MOST_THREADS];
    const int t = threadIdx.x;
    int mine = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = 0; i < rounds; i++) {
        values[t] = mine;
        __syncthreads();
        mine = values[(int)blockDim.x - 1 - t] + 1;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = mine;
}

// The same with the array's size given at the launch.
extern "C" __global__ void barriers_dynamic(int *out)
{
    extern __shared__ int dynamic_values[];
    __shared__ int offset;
    if (threadIdx.x == 0) {
        offset = 1000 * (int)blockIdx.x;
    }
    dynamic_values[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        offset + dynamic_values[(threadIdx.x + 1) % blockDim.x];
}

// A vote of the block: how many, whether any, whether all threads are below a bound.
extern "C" __global__ void barriers_votes(int *out, int bound)
{
    const int below = (int)threadIdx.x < bound;
    const int count = __syncthreads_count(below);
    const int any = __syncthreads_or(below ? 2 : 0);
    const int all = __syncthreads_and(below);
    int *mine = out + 3 * (blockIdx.x * blockDim.x + threadIdx.x);
    mine[0] = count;
    mine[1] = any != 0;
    mine[2] = all != 0;
}

// A sum over the block by halving: one barrier a step, in a loop.
extern "C" __global__ void barriers_sum(int *out)
{
    __shared__ int sums[MOST_THREADS];
    sums[threadIdx.x] = (int)threadIdx.x + 1;
    __syncthreads();
    for (int half = MOST_THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half && threadIdx.x + half < blockDim.x) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sums[0];
    }
}

static __device__ int *shared_slot()
{
    __shared__ int slot;
    return &slot;
}

// A shared variable of a device function is the same wherever it is called in the block.
extern "C" __global__ void barriers_in_function(int *out)
{
    if (threadIdx.x == blockDim.x - 1) {
        *shared_slot() = (int)blockIdx.x + 7;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *shared_slot();
}
