// Atomic functions, on device and on shared memory.
//
// TYPE is 0 for int, 1 for unsigned int, 2 for unsigned long long.

#ifndef TYPE
#define TYPE 0
#endif
#if TYPE == 0
typedef int Number;
#elif TYPE == 1
typedef unsigned int Number;
#else
typedef unsigned long long Number;
#endif

#define CELLS 9

static __device__ void play(Number *cells, Number id)
{
    const Number bit = (Number)1 << (id % 31);
    atomicAdd(&cells[0], (Number)3);
    atomicMin(&cells[1], id + 5);
    atomicMax(&cells[2], id + 5);
    atomicAnd(&cells[3], ~bit);
    atomicOr(&cells[4], bit);
    atomicXor(&cells[5], id);
    // Each thread adds 2, by compare and swap.
    Number seen = atomicAdd(&cells[6], (Number)0);
    Number expected;
    do {
        expected = seen;
        seen = atomicCAS(&cells[6], expected, expected + 2);
    } while (seen != expected);
    // What is taken out is added up: together with what is left it is the sum of all that came in.
    atomicAdd(&cells[8], atomicExch(&cells[7], id));
}

extern "C" __global__ void atomics_global(Number *out)
{
    play(out, (Number)(blockIdx.x * blockDim.x + threadIdx.x));
}

extern "C" __global__ void atomics_shared(Number *out)
{
    __shared__ Number cells[CELLS];
    if (threadIdx.x < CELLS) {
        cells[threadIdx.x] = out[CELLS * blockIdx.x + threadIdx.x];
    }
    __syncthreads();
    play(cells, (Number)threadIdx.x);
    __syncthreads();
    if (threadIdx.x < CELLS) {
        out[CELLS * blockIdx.x + threadIdx.x] = cells[threadIdx.x];
    }
}

// Each thread draws a number of its own: what atomics return is what was there before.
extern "C" __global__ void atomics_tickets(Number *counter, int *out)
{
    out[(int)atomicAdd(counter, (Number)1)] += 1;
}

extern "C" __global__ void atomics_others(unsigned int *out, float *sums)
{
    atomicSub(&out[0], 2u);
    atomicInc(&out[1], 9u);
    atomicDec(&out[2], 3u);
    atomicSub((int *)&out[3], 2);
    atomicAdd(&sums[0], 0.5f);
}

// Each thread adds 1 by compare and swap, and says how often it tried.
extern "C" __global__ void atomics_tries(unsigned int *cell, unsigned int *tries)
{
    unsigned int seen = *(volatile unsigned int *)cell;
    unsigned int expected;
    unsigned int tried = 0;
    do {
        expected = seen;
        seen = atomicCAS(cell, expected, expected + 1);
        tried++;
    } while (seen != expected);
    tries[blockIdx.x * blockDim.x + threadIdx.x] = tried;
}

// The block that draws the last ticket adds up what all blocks have left behind a fence.
extern "C" __global__ void atomics_last_block(volatile int *parts, unsigned int *counter, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (int)blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int sum = 0;
        for (unsigned int i = 0; i < gridDim.x; i++) {
            sum += parts[i];
        }
        out[0] = sum;
    }
}
