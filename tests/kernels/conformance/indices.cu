// Every thread writes what its built-in variables say, at a place that they determine.

extern "C" __global__ void indices_write(unsigned int *out)
{
    const unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned int thread =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * threads + thread] =
        ((blockIdx.x * 10 + blockIdx.y) * 10 + blockIdx.z) * 1000000 +
        ((threadIdx.x * 10 + threadIdx.y) * 10 + threadIdx.z) * 100 + (unsigned int)warpSize;
}

extern "C" __global__ void indices_dimensions(unsigned int *out)
{
    const dim3 sizes[2] = {gridDim, blockDim};
    if (threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z == 0) {
        for (int i = 0; i < 2; i++) {
            out[3 * i] = sizes[i].x;
            out[3 * i + 1] = sizes[i].y;
            out[3 * i + 2] = sizes[i].z;
        }
    }
}

// Parameters of every size reach the kernel.
extern "C" __global__ void indices_parameters(int a, unsigned int b, long long c,
                                              unsigned long long d, long long *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = (long long)d;
}

// The threads of each block's first warps end without waiting; only those of the last warp meet.
extern "C" __global__ void indices_late(unsigned int *out)
{
    const unsigned int threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned int thread =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned int met = 0;
    if (thread >= threads - 32) {
        met = __ballot_sync(0xFFFFFFFFu, threadIdx.x % 2 == 1);
    }
    out[blockIdx.x * threads + thread] = met ^ (blockIdx.x * 1000 + thread);
}
