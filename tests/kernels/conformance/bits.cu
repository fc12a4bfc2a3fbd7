// Bit intrinsics on a table of words.

extern "C" __global__ void bits_32(const unsigned int *words, int *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) {
        return;
    }
    const unsigned int word = words[i];
    out[4 * i] = __popc(word);
    out[4 * i + 1] = __clz((int)word);
    out[4 * i + 2] = __ffs((int)word);
    out[4 * i + 3] = (int)__brev(word);
}

extern "C" __global__ void bits_64(const unsigned long long *words, long long *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) {
        return;
    }
    const unsigned long long word = words[i];
    out[4 * i] = __popcll(word);
    out[4 * i + 1] = __clzll((long long)word);
    out[4 * i + 2] = __ffsll((long long)word);
    out[4 * i + 3] = (long long)__brevll(word);
}

extern "C" __global__ void bits_pairs(const unsigned int *words, unsigned int *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) {
        return;
    }
    const unsigned int low = words[i];
    const unsigned int high = words[(i + 1) % count];
    out[5 * i] = __funnelshift_l(low, high, (unsigned int)i);
    out[5 * i + 1] = __funnelshift_r(low, high, (unsigned int)i);
    out[5 * i + 2] = __funnelshift_lc(low, high, (unsigned int)i);
    out[5 * i + 3] = __funnelshift_rc(low, high, (unsigned int)i);
    out[5 * i + 4] = __byte_perm(low, high, (unsigned int)i * 0x1234567u);
}

extern "C" __global__ void bits_casts(int *out)
{
    out[0] = __float_as_int(1.0f) == 0x3F800000;
    out[1] = __int_as_float(0x40000000) == 2.0f;
    out[2] = __double_as_longlong(1.0) == 0x3FF0000000000000ll;
    out[3] = __longlong_as_double(0x4000000000000000ll) == 2.0;
}
