// Kernels whose threads store the same element without order: what the stores do differs.

extern "C" __global__ void same_flag(const unsigned char *image, int *labels, int *extra, int *values,
                                     int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    extra[0] = 1;
}

extern "C" __global__ void count_up(const unsigned char *image, int *labels, int *extra, int *values,
                                    int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    extra[0] = extra[0] + 1;
}

extern "C" __global__ void fall(const unsigned char *image, int *labels, int *extra, int *values,
                                int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    extra[0] = extra[0] - 1;
}

extern "C" __global__ void own_cell(const unsigned char *image, int *labels, int *extra, int *values,
                                    int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    if (x < width && y < height) {
        labels[k] = 1;
        values[k] = labels[k > 0 ? k - 1 : k];
    }
}

extern "C" __global__ void last_of_two(const unsigned char *image, int *labels, int *extra, int *values,
                                       int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    if (blockIdx.x == 0 && blockIdx.y == 0 && t < 2) {
        extra[0] = 1 + t;
    }
}

extern "C" __global__ void store_beside_a_minimum(const unsigned char *image, int *labels, int *extra, int *values,
                                                  int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    if (t == 0) {
        extra[blockIdx.x + 2 * blockIdx.y] = -1;
    } else {
        atomicMin(&extra[blockIdx.x + 2 * blockIdx.y], -2 - t);
    }
}

extern "C" __global__ void same_byte(const unsigned char *image, int *labels, int *extra, int *values,
                                     int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    ((char *)extra)[1] = 1;
}

extern "C" __global__ void count_up_in_64_bits(const unsigned char *image, int *labels, int *extra, int *values,
                                               int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    *(long long *)extra = *(long long *)extra + 1;
}

extern "C" __global__ void shared_flag(const unsigned char *image, int *labels, int *extra, int *values,
                                       int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    __shared__ int cell;
    if (t == 0) {
        cell = 0;
    }
    __syncthreads();
    cell = 1;
}

extern "C" __global__ void shared_count_up(const unsigned char *image, int *labels, int *extra, int *values,
                                           int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    __shared__ int cell;
    if (t == 0) {
        cell = 0;
    }
    __syncthreads();
    cell = cell + 1;
}

extern "C" __global__ void shared_fall(const unsigned char *image, int *labels, int *extra, int *values,
                                       int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    __shared__ int cell;
    if (t == 0) {
        cell = 0;
    }
    __syncthreads();
    cell = cell - 1;
}
