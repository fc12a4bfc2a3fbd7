// Kernels that misbehave, each in one way.

#define ALL 0xFFFFFFFFu

// One lane returns; the others name it.
extern "C" __global__ void faults_returned_lane(unsigned int *out, unsigned int lane)
{
    if (threadIdx.x == lane) {
        return;
    }
    out[threadIdx.x] = __ballot_sync(ALL, 1);
}

// The lanes of one warp stand at different operations.
extern "C" __global__ void faults_mixed_operations(int *out)
{
    if (threadIdx.x < 8) {
        out[threadIdx.x] = __any_sync(ALL, 1);
    } else {
        out[threadIdx.x] = __all_sync(ALL, 1);
    }
}

extern "C" __global__ void faults_mixed_masks(unsigned int *out)
{
    const unsigned int mask = threadIdx.x < 8 ? ALL : 0xFFFFFF00u;
    out[threadIdx.x] = __ballot_sync(mask, 1);
    out[threadIdx.x] = __ballot_sync(mask, 1);
}

extern "C" __global__ void faults_not_in_mask(unsigned int *out)
{
    out[threadIdx.x] = __ballot_sync(0x0000FFFFu, 1);
}

// Thread 40 returns; the others wait for it.
extern "C" __global__ void faults_returned_thread(int *out)
{
    if (threadIdx.x == 40) {
        return;
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}

// One part of the block waits at a barrier, another at a warp operation that names it.
extern "C" __global__ void faults_divergent_barrier(unsigned int *out)
{
    if (threadIdx.x < 16) {
        __syncthreads();
    }
    out[threadIdx.x] = __ballot_sync(ALL, 1);
}

extern "C" __global__ void faults_mixed_barriers(int *out)
{
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        out[threadIdx.x] = __syncthreads_or(1);
    }
}

extern "C" __global__ void faults_endless_while(volatile int *out)
{
    while (out[0] == 0) {
    }
}

extern "C" __global__ void faults_endless_for(volatile int *out)
{
    if (threadIdx.x == 3) {
        for (;;) {
            out[1] = out[0];
        }
    }
}

extern "C" __global__ void faults_endless_do(volatile int *out)
{
    do {
        out[1] = out[0];
    } while (out[0] == 0);
}

// The threads of the block wait for each other, turn after turn.
extern "C" __global__ void faults_endless_barrier(volatile int *out)
{
    while (__syncthreads_or(out[0]) == 0) {
    }
}

// Shift is in elements from the begin of the buffer, which has `size` of them.
extern "C" __global__ void faults_write(int *out, int shift)
{
    if (threadIdx.x == 2) {
        out[shift] = 1;
    }
}

extern "C" __global__ void faults_read(int *out, const int *labels, int shift)
{
    if (threadIdx.x == 2) {
        out[0] = labels[shift];
    }
}

extern "C" __global__ void faults_atomic(int *out, int shift)
{
    if (threadIdx.x == 2) {
        atomicAdd(&out[shift], 1);
    }
}

extern "C" __global__ void faults_null(int *out, unsigned long long address)
{
    if (threadIdx.x == 2) {
        out[0] = *(const int *)address;
    }
}

// One thread of block (1, 2, 0) writes or reads far from every buffer.
extern "C" __global__ void faults_write_wide(int *out, long long index)
{
    if (threadIdx.x == 40 && blockIdx.x == 1 && blockIdx.y == 2) {
        out[index] = 1;
    }
}

extern "C" __global__ void faults_read_wide(int *out, long long index)
{
    if (threadIdx.x == 40 && blockIdx.x == 1 && blockIdx.y == 2) {
        out[0] = out[index];
    }
}

// The index lies in shared memory, where nobody has written one.
extern "C" __global__ void faults_read_poison(int *out)
{
    __shared__ int indices[64];
    const int *place = indices;
    out[threadIdx.x] = out[place[threadIdx.x]];
    if (out[0] == 1) {
        indices[threadIdx.x] = 0;
    }
}

extern "C" __global__ void faults_shared(int *out, int shift)
{
    __shared__ int values[32];
    values[threadIdx.x] = 0;
    int *place = values + shift;
    place[0] = 1;
    out[threadIdx.x] = values[threadIdx.x];
}

extern "C" __global__ void faults_shared_size(char *out)
{
    __shared__ char values[49153];
    values[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x + 1];
}

static __device__ __noinline__ int descend(int *out, int depth)
{
    volatile int here[64];
    for (int i = 0; i < 64; i++) {
        here[i] = depth + i;
    }
    if (depth > 0) {
        out[0] += descend(out, depth - 1);
    }
    return here[(depth + 1) % 64];
}

extern "C" __global__ void faults_stack(int *out, int depth)
{
    if (threadIdx.x == 1) {
        out[1] = descend(out, depth);
    }
}

// Thread 40 overruns the stacks of others too, which wait at a barrier.
extern "C" __global__ void faults_stack_parked(int *out, int depth)
{
    __syncthreads();
    if (threadIdx.x == 40) {
        out[1] = descend(out, depth);
    }
    __syncthreads();
}

extern "C" __global__ void faults_assertion(int *out)
{
    out[threadIdx.x] = 1;
    assert(threadIdx.x != 9);
}

// Well behaved: shows that the device still works.
extern "C" __global__ void faults_none(int *out)
{
    out[threadIdx.x] = (int)__popc(__ballot_sync(ALL, 1));
}

// Structs ------------------------------------------------------------------------------------

struct Pair {
    int first;
    int second;
};

struct Node {
    int label;
    Pair extent;
};

static __device__ __noinline__ int weigh(Pair pair)
{
    return 2 * pair.first + pair.second;
}

static __device__ __forceinline__ Pair neighbours(const int *row, int i)
{
    const Pair pair = {row[i], row[i + 1]};
    return pair;
}

static __device__ __forceinline__ Pair lower(Pair a, Pair b)
{
    return a.first < b.first ? a : b;
}

// Two neighbouring ints of a padded tile, read into a struct at any place.
extern "C" __global__ void faults_pairs(int *out)
{
    __shared__ int row[34];
    const int t = threadIdx.x;
    row[t + 1] = t;
    if (t == 0) {
        row[0] = row[33] = -1;
    }
    __syncthreads();
    Pair least = {1000, 0};
    for (int i = 0; i < 2; ++i) {
        least = lower(least, neighbours(row, t + i));
    }
    out[t] = weigh(least);
}

// Shared memory has structs, which are copied as a whole.
extern "C" __global__ void faults_copied_pairs(Pair *out)
{
    __shared__ Pair pairs[32];
    __shared__ Node node;
    extern __shared__ int2 vectors[];
    const int t = threadIdx.x;
    pairs[t] = {t, 2 * t};
    vectors[t] = make_int2(t, 3 * t);
    if (t == 5) {
        node.label = 7;
    }
    __syncthreads();
    out[t] = pairs[31 - t];
    out[32 + t].first = node.label;
    out[32 + t].second = vectors[31 - t].y;
}

// Bytes at any place make a word.
extern "C" __global__ void faults_bytes(unsigned *out)
{
    __shared__ unsigned char bytes[36];
    const int t = threadIdx.x;
    bytes[t] = (unsigned char)t;
    if (t < 4) {
        bytes[32 + t] = 0;
    }
    __syncthreads();
    const unsigned char *p = bytes + t;
    const unsigned word = p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24;
    out[t] = word;
}

// The halves of a long integer are stored as two ints.
extern "C" __global__ void faults_halves(int *out)
{
    const int t = threadIdx.x;
    const long long both = (long long)(t + 1) << 32 | (unsigned)t;
    int *halves = out + 2 * t + 1;
    halves[0] = (int)both;
    halves[1] = (int)(both >> 32);
}

// Two neighbouring ints, of which the last thread's second one is past the end.
extern "C" __global__ void faults_pair_past_the_end(int *out, int *values)
{
    const int t = threadIdx.x;
    out[t] = weigh(neighbours(values, t));
}

// Whole structs, from a number of ints on.
extern "C" __global__ void faults_copied_vector(int4 *out, const int *values, int from)
{
    out[threadIdx.x] = ((const int4 *)(values + from))[threadIdx.x];
}

extern "C" __global__ void faults_copied_node(Node *out, const int *values, int from)
{
    out[threadIdx.x] = ((const Node *)(values + from))[threadIdx.x];
}

extern "C" __global__ void faults_division(int *out, int divisor)
{
    out[threadIdx.x] = 100 / divisor + 100 % divisor;
}

extern "C" __global__ void faults_static(int *out)
{
    static int calls;
    out[threadIdx.x] = atomicAdd(&calls, 1);
}
