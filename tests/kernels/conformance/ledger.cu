// Accesses whose warps' counts one can work out by hand. Blocks of 64 threads; arrays of 4096 ints.

extern "C" __global__ void ledger_stride(const int *image, int *out, int stride)
{
    out[threadIdx.x] = image[threadIdx.x * stride];
}

extern "C" __global__ void ledger_broadcast(const int *image, int *out)
{
    out[threadIdx.x] = image[7];
}

extern "C" __global__ void ledger_bytes(const unsigned char *image, int *out)
{
    out[threadIdx.x] = image[threadIdx.x];
}

// Only some lanes load; the count depends on the lane.
extern "C" __global__ void ledger_rounds(const int *image, int *out)
{
    int sum = 0;
    for (int i = 0; i < (int)threadIdx.x % 4; i++) {
        sum += image[64 * i + threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void ledger_banks(const int *image, int *out, int stride)
{
    __shared__ int tile[64 * 33];
    tile[threadIdx.x * stride] = image[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * stride];
}

extern "C" __global__ void ledger_atomics(const int *image, int *out, int different)
{
    atomicAdd(&out[(int)threadIdx.x % different], image[threadIdx.x]);
}

extern "C" __global__ void ledger_atomics_at(const int *image, int *out)
{
    atomicMin(&out[image[threadIdx.x]], 5);
}

// Each thread goes from its cell to the root.
extern "C" __global__ void ledger_walk(const int *image, int *out)
{
    int cell = threadIdx.x;
    while (image[cell] != cell) {
        cell = image[cell];
    }
    out[threadIdx.x] = cell;
}

extern "C" __global__ void ledger_lanes(const int *image, int *out)
{
    unsigned int mask = __ballot_sync(0xFFFFFFFFu, image[threadIdx.x] != 0);
    if (threadIdx.x % 2) {
        mask += __shfl_sync(0xAAAAAAAAu, mask, 1);
    }
    out[threadIdx.x] = (int)mask;
}

// Copies of whole structs: a GPU copies pieces as wide as the type's alignment, up to 16 bytes.
struct Pair {
    int a, b;
};

struct Quad {
    int a, b, c, d;
};

struct Box {
    int values[8];
};

extern "C" __global__ void ledger_copied_vectors(const uint4 *image, uint4 *out)
{
    out[threadIdx.x] = image[threadIdx.x];
}

extern "C" __global__ void ledger_copied_quads(const Quad *image, Quad *out)
{
    out[threadIdx.x] = image[threadIdx.x];
}

extern "C" __global__ void ledger_copied_boxes(const Box *image, Box *out)
{
    const Box box = image[threadIdx.x];
    out[threadIdx.x] = box;
}

// From an address that is no multiple of 8.
extern "C" __global__ void ledger_copied_pairs(const int *image, int *out)
{
    ((Pair *)(out + 1))[threadIdx.x] = ((const Pair *)(image + 1))[threadIdx.x];
}

// Vectors into an array of ints, by a union that is copied.
union Word {
    int4 vector;
    int numbers[4];
};

extern "C" __global__ void ledger_gathered_vectors(const int4 *image, int4 *out)
{
    __shared__ __align__(16) int tile[4 * 64];
    Word mine, same;
    mine.vector = image[threadIdx.x];
    same = mine;
    *(int4 *)&tile[4 * threadIdx.x] = same.vector;
    out[threadIdx.x] = make_int4(same.numbers[0], tile[4 * threadIdx.x + 1], 0, 0);
}
