// Operations in which the lanes of a warp meet.

#define ALL 0xFFFFFFFFu

static __device__ unsigned int place()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void warps_votes(unsigned int *out, unsigned int wanted)
{
    const unsigned int lane = threadIdx.x % 32u;
    const int mine = (int)(wanted >> lane & 1u);
    unsigned int *result = out + 3 * place();
    result[0] = __ballot_sync(ALL, mine * 5);
    result[1] = __any_sync(ALL, mine) != 0;
    result[2] = __all_sync(ALL, mine) != 0;
}

// The two halves of a divergent branch vote for themselves.
extern "C" __global__ void warps_divergent(unsigned int *out, unsigned int mask)
{
    const unsigned int lane = threadIdx.x % 32u;
    if (mask >> lane & 1u) {
        out[place()] = __ballot_sync(mask, lane % 2u == 0u);
    } else {
        out[place()] = __ballot_sync(~mask, lane % 3u == 0u);
    }
}

// Lanes leave a loop one after the other; those that stay go on voting.
extern "C" __global__ void warps_shrinking(unsigned int *out)
{
    const unsigned int lane = threadIdx.x % 32u;
    unsigned int sum = 0;
    for (unsigned int i = 0; i <= lane; i++) {
        sum += __popc(__ballot_sync(ALL << i, lane % 2u));
    }
    out[place()] = sum;
}

extern "C" __global__ void warps_shuffles(int *out, int distance, int width)
{
    const int lane = (int)(threadIdx.x % 32u);
    const int value = 100 + lane;
    int *result = out + 4 * place();
    result[0] = __shfl_sync(ALL, value, lane + distance, width);
    result[1] = __shfl_up_sync(ALL, value, (unsigned int)distance, width);
    result[2] = __shfl_down_sync(ALL, value, (unsigned int)distance, width);
    result[3] = __shfl_xor_sync(ALL, value, distance, width);
}

// Values of every type go through a shuffle whole.
extern "C" __global__ void warps_types(int *out)
{
    const int lane = (int)(threadIdx.x % 32u);
    const int next = (lane + 1) % 32;
    const long long big = (1ll << 40) + lane;
    int right = __shfl_sync(ALL, -lane, next) == -next;
    right += __shfl_sync(ALL, ALL - lane, next) == ALL - (unsigned int)next;
    right += __shfl_sync(ALL, -big, next) == -((1ll << 40) + next);
    right += __shfl_sync(ALL, ~(unsigned long long)lane, next) == ~(unsigned long long)next;
    right += __shfl_sync(ALL, 0.5f * (float)lane, next) == 0.5f * (float)next;
    right += __shfl_sync(ALL, 0.1 * (double)lane, next) == 0.1 * (double)next;
    right += __shfl_up_sync(ALL, big, 1) == big - (lane > 0);
    right += __shfl_down_sync(ALL, 0.25 * lane, 1) == 0.25 * (lane < 31 ? next : lane);
    right += __shfl_xor_sync(ALL, (unsigned int)lane, 16) == (unsigned int)(lane ^ 16);
    out[place()] = right;
}

extern "C" __global__ void warps_match(unsigned int *out)
{
    const unsigned int lane = threadIdx.x % 32u;
    unsigned int *result = out + 2 * place();
    result[0] = __match_any_sync(ALL, lane / 5u);
    result[1] = __match_any_sync(ALL, (unsigned long long)(lane % 3u) << 40);
}

extern "C" __global__ void warps_match_part(unsigned int *out, unsigned int mask)
{
    const unsigned int lane = threadIdx.x % 32u;
    unsigned int same = 0;
    if (mask >> lane & 1u) {
        same = __match_any_sync(mask, (int)(lane % 4u));
    }
    out[place()] = same;
}

// All lanes are there at the beginning; a branch is taken by some.
extern "C" __global__ void warps_active(unsigned int *out, int bound)
{
    const int lane = (int)(threadIdx.x % 32u);
    out[2 * place()] = __activemask();
    __syncwarp();
    unsigned int active = 0;
    if (lane < bound) {
        active = __activemask();
    }
    out[2 * place() + 1] = active;
}

// Lanes hand values on through shared memory, ordered by __syncwarp alone.
extern "C" __global__ void warps_rotate(int *out, int rounds)
{
    __shared__ int values[1024];
    const int t = (int)threadIdx.x;
    const int first = t & ~31;
    int mine = t;
    for (int i = 0; i < rounds; i++) {
        values[t] = mine;
        __syncwarp();
        mine = values[first + (t + 1) % 32];
        __syncwarp();
    }
    out[place()] = mine;
}

// Only half of a warp synchronises; the other half goes its way.
extern "C" __global__ void warps_sync_part(int *out)
{
    __shared__ int values[32];
    const int lane = (int)(threadIdx.x % 32u);
    values[lane] = -1;
    __syncwarp();
    if (lane < 16) {
        values[lane] = lane;
        __syncwarp(0x0000FFFFu);
        out[place()] = values[15 - lane];
    } else {
        out[place()] = lane;
    }
}
