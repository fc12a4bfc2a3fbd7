// Kernels whose result depends on the order in which threads run.

// Takes over the left neighbour's value, in place.
extern "C" __global__ void schedules_shift(int *cells, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i > 0 && i < count) {
        cells[i] = cells[i - 1];
    }
}

extern "C" __global__ void schedules_number(int *cells, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) {
        cells[i] = i;
    }
}

// Each thread notes when it came.
extern "C" __global__ void schedules_order(int *counter, int *order)
{
    order[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 1);
}

// Adds without an atomic: updates get lost where threads come between each other.
extern "C" __global__ void schedules_lost(int *counter)
{
    counter[0] += 1;
}

// Each round hands a value to the warp on the left through shared memory. BARRIERS 1 leaves out the
// second barrier: a warp that runs ahead overwrites what its neighbour has not yet read.
#ifndef BARRIERS
#define BARRIERS 2
#endif
extern "C" __global__ void schedules_double_use(int *out, int rounds)
{
    __shared__ int values[32];
    const int warp = (int)threadIdx.x / 32;
    const int warps = (int)blockDim.x / 32;
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x % 32u == 0u) {
            values[warp] = i;
        }
        __syncthreads();
        sum += values[(warp + 1) % warps] - i;
#if BARRIERS == 2
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}

// Stores and an atomic are steps of their own; loads are not.
extern "C" __global__ void schedules_steps(int *counter, int *seen)
{
    const int t = (int)threadIdx.x;
    seen[4 * t] = atomicAdd(counter, 1);
    seen[4 * t + 1] = atomicAdd(counter, 1);
    seen[4 * t + 2] = atomicAdd(counter, 1);
}

// Between its two stores each thread looks at both neighbours' first.
extern "C" __global__ void schedules_neighbours(volatile int *cells, int *seen)
{
    const int t = (int)threadIdx.x;
    cells[t + 1] = 1;
    seen[t] = cells[t] + 10 * cells[t + 2];
}

// Thread 0 waits at the barrier while thread 1 has a store to do first.
extern "C" __global__ void schedules_released(int *counter, int *order)
{
    if (threadIdx.x == 1) {
        counter[1] = 1;
    }
    __syncthreads();
    order[threadIdx.x] = atomicAdd(counter, 1);
}

// Waits for another thread, which has to be let run.
extern "C" __global__ void schedules_spin(volatile int *flag, int *out)
{
    if (threadIdx.x == 0) {
        while (flag[0] == 0) {
        }
        out[0] = flag[0];
    } else if (threadIdx.x == blockDim.x - 1) {
        flag[0] = 42;
    }
}

// All wait for the last one.
extern "C" __global__ void schedules_spin_together(volatile int *flag, int *out)
{
    if (threadIdx.x == blockDim.x - 1) {
        flag[0] = 42;
    }
    while (flag[0] == 0) {
    }
    out[threadIdx.x] = flag[0];
}
