// Vector types, small functions, constant memory, templates, includes and macros.

#include "language_helpers.cuh"

#ifndef FACTOR
#define FACTOR 2
#endif

static __constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

extern "C" __global__ void language_vectors(int *out)
{
    out[0] = sizeof(int2) == 8 && alignof(int2) == 8;
    out[1] = sizeof(int3) == 12 && alignof(int3) == 4;
    out[2] = sizeof(int4) == 16 && alignof(int4) == 16;
    out[3] = sizeof(uchar4) == 4 && alignof(uchar4) == 4;
    out[4] = sizeof(float2) == 8 && sizeof(float4) == 16;
    out[5] = sizeof(longlong2) == 16 && sizeof(ulonglong2) == 16;
    const int4 four = make_int4(1, 2, 3, 4);
    const uint3 three = make_uint3(5u, 6u, 7u);
    const uchar4 bytes = make_uchar4(8, 9, 10, 255);
    out[6] = four.x + 10 * four.y + 100 * four.z + 1000 * four.w;
    out[7] = (int)(three.x + 10 * three.y + 100 * three.z);
    out[8] = bytes.x + bytes.y + bytes.z + bytes.w;
    const dim3 defaults(3);
    out[9] = (int)(defaults.x * 100 + defaults.y * 10 + defaults.z);
}

// Whole vectors are loaded and stored.
extern "C" __global__ void language_vector_copy(const uint4 *in, uint4 *out)
{
    const uint4 value = in[threadIdx.x];
    out[threadIdx.x] = make_uint4(value.w, value.z, value.y, value.x);
}

extern "C" __global__ void language_extremes(long long *out)
{
    out[0] = min(-1, 1);
    out[1] = max(-1, 1);
    out[2] = min(3u, 4u);
    out[3] = max(0x80000000u, 4u);
    out[4] = min(-5ll, 1ll << 40);
    out[5] = max(5ull, 1ull << 40);
    out[6] = (long long)(min(0.5f, 0.25f) * 100.0f);
    out[7] = (long long)(max(0.5, 0.25) * 100.0);
    out[8] = abs(-7);
}

extern "C" __global__ void language_load(const unsigned char *__restrict__ in,
                                         int *__restrict__ out)
{
    out[threadIdx.x] = __ldg(&in[threadIdx.x]);
}

extern "C" __global__ void __launch_bounds__(64) language_helpers(int *out)
{
    out[threadIdx.x] = FACTOR * twice(primes[threadIdx.x % 8u]);
}

// Every kind of loop, with `continue` and `break`, and an `else` that belongs to the inner `if`.
extern "C" __global__ void language_loops(int *out)
{
    int sum = 0;
    for (int i = 0; i < 10; ++i) {
        if (i == 3) {
            continue;
        }
        if (i == 7) {
            break;
        }
        sum += i;
    }
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0)
            sum += 100;
        else
            sum += 1000;
    int n = 3;
    while (n > 0) {
        n--;
        sum += 10000;
    }
    do {
        n += 2;
        sum += 100000;
    } while (n < 5);
    for (;;) {
        if (++n > 10) {
            break;
        }
    }
    out[0] = sum;
    out[1] = n;
}

// Local arrays that are indexed by variables live on the thread's own stack.
extern "C" __global__ void language_local(int *out)
{
    int counts[64];
    for (int i = 0; i < 64; i++) {
        counts[i] = (int)threadIdx.x * i;
    }
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += counts[(i * 7) % 64];
    }
    out[threadIdx.x] = sum;
}

// Output of threads, with each kind of argument.
extern "C" __global__ void language_printf(int *out, int threads)
{
    const int t = threadIdx.x;
    if (t < threads) {
        const char *name = "cell";
        const int count = printf("%s %d of %u: %5.2f %c%% %x\n", name, -t, 4000000000u, t / 4.0,
                                 'a' + t, -1);
        out[t] = count;
        if (t == 1) {
            printf("plain\nin two lines\n");
            printf("%lld %08x", -(1LL << 40), 255u);
        }
    }
}

extern "C" __global__ void language_mathematics(float *out)
{
    const int t = threadIdx.x;
    const float a = t / 4.0f;
    const double b = t / 3.0;
    out[5 * t] = sqrtf(a) + (float)sqrt(b);
    out[5 * t + 1] = floorf(a) + (float)floor(b) + truncf(-a);
    out[5 * t + 2] = ceilf(a) + (float)ceil(b);
    out[5 * t + 3] = fabsf(-a) + (float)fabs(-b);
    out[5 * t + 4] = fminf(a, 2.0f) + (float)fmax(b, 2.0);
}

// What CUDA declares without a header: shuffles of longs, votes on one value, scopes of atomics, hints
// for caches.
extern "C" __global__ void language_functions(int *out)
{
    const unsigned int all = 0xffffffffu;
    const int t = threadIdx.x;
    int same = 0;
    int different = 1;
    out[0] = 0;
    const unsigned int lanes = __match_all_sync(all, 7, &same);
    const unsigned int none = __match_all_sync(all, t, &different);
    const long shuffled = __shfl_sync(all, (long)t, 5);
    const unsigned long crossed = __shfl_xor_sync(all, (unsigned long)t, 1);
    __syncwarp();
    atomicAdd_block(&out[0], 1);
    atomicMax_system(&out[0], 0);
    if (t != 6) {
        return;
    }
    out[1] = lanes == all && same != 0 && none == 0 && different == 0;
    out[2] = (int)shuffled;
    out[3] = (int)crossed;
    out[4] = (int)abs(-3L) + __mulhi(1 << 30, 8) + (int)__umulhi(1u << 31, 4u);
    __stcg(&out[5], 5);
    out[6] = __ldcg(&out[5]) + 1;
}
