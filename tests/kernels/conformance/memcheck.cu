// What the memory check is to find, and what it is to leave alone.

#define THREADS 64

// Each thread writes its word and reads that of a thread of the other warp, with something between.
extern "C" __global__ void memcheck_exchange(int *out, int between)
{
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    words[t] = t;
    if (between == 1) {
        __syncthreads();
    } else if (between == 2) {
        __syncwarp();
    }
    out[t] = words[t ^ 32];
}

// The same with a partner in the same warp; votes and shuffles make no memory visible.
extern "C" __global__ void memcheck_lanes(int *out, int between, int partner)
{
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    words[t] = t;
    if (between == 1) {
        __syncwarp();
    } else if (between == 2) {
        __syncwarp(t % 32 < 16 ? 0xFFFFu : 0xFFFF0000u);
    } else if (between == 3) {
        out[t] = (int)__ballot_sync(0xFFFFFFFFu, t > 0);
    }
    out[t] += words[t ^ partner];
}

// Each word is read by its partner, and then written again by its owner.
extern "C" __global__ void memcheck_again(int *out, int barriers)
{
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    words[t] = t;
    __syncthreads();
    out[t] = words[t ^ 32];
    if (barriers == 2) {
        __syncthreads();
    }
    words[t] = 2 * t;
    __syncthreads();
    out[t] += words[t ^ 1];
}

// All threads write the same value to the same word.
extern "C" __global__ void memcheck_same(int *out)
{
    __shared__ int flag;
    flag = 1;
    __syncthreads();
    out[threadIdx.x] = flag;
}

// All threads add to a word; one has set it to 0, and all read it in the end.
extern "C" __global__ void memcheck_atomics(int *out, int before, int after)
{
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    if (before) {
        __syncthreads();
    }
    atomicAdd(&sum, 1);
    if (after) {
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Two lanes of each warp read a word; then one of them writes it, whose own warp has met.
extern "C" __global__ void memcheck_crowd(int *out)
{
    __shared__ int word;
    const int t = threadIdx.x;
    if (t == 0) {
        word = 1;
    }
    __syncthreads();
    if (t % 32 == 1 || t % 32 == 2) {
        out[t] = word;
    }
    __syncwarp();
    if (t == 1) {
        word = 2;
    }
}

// Half of each warp writes words, the other half meets and reads them.
extern "C" __global__ void memcheck_halves(int *out)
{
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    if (t % 32 < 16) {
        __syncwarp(0xFFFFu);
        out[t] = words[t ^ 16];
    } else {
        words[t] = t;
    }
}

// Neighbours write neighbouring bytes of one word.
extern "C" __global__ void memcheck_bytes(int *out)
{
    __shared__ unsigned char bytes[THREADS];
    bytes[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = bytes[threadIdx.x ^ 1];
}

// In one block a thread does not write its word, but all words are read.
extern "C" __global__ void memcheck_unwritten(int *out, int block, int thread)
{
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    if ((int)blockIdx.x != block || t != thread) {
        words[t] = t;
    }
    __syncthreads();
    out[blockIdx.x * THREADS + t] = words[t ^ 1];
}

// Each thread copies one element.
extern "C" __global__ void memcheck_copy(int *out, const int *values)
{
    out[threadIdx.x] = values[threadIdx.x];
}

// Each thread adds to one element.
extern "C" __global__ void memcheck_add(int *values)
{
    atomicAdd(&values[threadIdx.x], 1);
}

// One of three shared variables is written beyond its bounds by one thread.
extern "C" __global__ void memcheck_beyond(int *out, int shift)
{
    __shared__ int first[THREADS];
    __shared__ short second[THREADS];
    __shared__ int third[THREADS];
    const int t = threadIdx.x;
    first[t] = third[t] = t;
    second[t] = 0;
    __syncthreads();
    if (t == 5) {
        second[shift] = 7;
    }
    __syncthreads();
    out[t] = first[t] + second[t] + third[t];
}

// The same in an array whose size the launch gives.
extern "C" __global__ void memcheck_dynamic(int *out, int shift)
{
    extern __shared__ int dynamic[];
    __shared__ int words[THREADS];
    const int t = threadIdx.x;
    dynamic[t] = words[t] = t;
    __syncthreads();
    if (t == 5) {
        dynamic[shift] = 7;
    }
    __syncthreads();
    out[t] = dynamic[t] + words[t];
}

// Operations that C leaves undefined for some values.
extern "C" __global__ void memcheck_undefined(int *out, int operation, int left, int right)
{
    int result = 0;
    if (threadIdx.x == 9) {
        if (operation == 0) {
            result = (int)(0xFFFFFFFFu >> right);
        } else if (operation == 1) {
            result = left + right;
        } else if (operation == 2) {
            result = left - right;
        } else if (operation == 3) {
            result = left * right;
        } else if (operation == 4) {
            result = -left;
        } else if (operation == 5) {
            result = left >> right;
        }
    }
    out[threadIdx.x] = result;
}

// An index of an inner dimension, which may stay in its variable.
extern "C" __global__ void memcheck_inner(int *out, int column)
{
    __shared__ int rows[8][8];
    const int t = threadIdx.x;
    rows[t / 8][t % 8] = t;
    __syncthreads();
    if (t == 9) {
        rows[1][column] = 5;
    }
    __syncthreads();
    out[t] = rows[t / 8][t % 8];
}

// Nothing here is undefined on a GPU.
extern "C" __global__ void memcheck_defined(int *out)
{
    const unsigned t = threadIdx.x;
    const unsigned hash = (t + 0x9E3779B9u) * 0x85EBCA6Bu;
    const int highest = 1 << 31;
    const int *end = out + 64;
    out[t] = (int)(hash << (t % 32)) ^ highest ^ (int)(end - out) ^ (-7 >> 2) ^ (-(int)t << 3);
}

// Whole structs, exchanged with the other warp's.
struct Box {
    int values[8];
};

template <class T>
static __device__ void exchange_structs(T *structs, int *out, int ordered)
{
    const int t = threadIdx.x;
    T mine = {};
    structs[t] = mine;
    if (ordered) {
        __syncthreads();
    }
    const T other = structs[t ^ 32];
    __syncthreads();
    structs[t] = other;
    out[t] = *(const int *)&structs[t];
}

extern "C" __global__ void memcheck_vectors(int *out, int ordered)
{
    __shared__ uint4 vectors[THREADS];
    exchange_structs(vectors, out, ordered);
}

extern "C" __global__ void memcheck_boxes(int *out, int ordered)
{
    __shared__ Box boxes[THREADS];
    exchange_structs(boxes, out, ordered);
}

extern "C" __global__ void memcheck_copied_vectors(uint4 *out, const uint4 *values)
{
    out[threadIdx.x] = values[threadIdx.x];
}
