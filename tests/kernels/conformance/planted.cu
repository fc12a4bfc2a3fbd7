// Kernels with one planted fault each, in the line that says so: what a check has to find.

extern __shared__ int dynamic_table[];

extern "C" __global__ void store_past_the_end(const unsigned char *image, int *labels, int *extra,
                                              int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        labels[k + 1] = 1;  // fault
    }
}

extern "C" __global__ void load_before_the_start(const unsigned char *image, int *labels, int *extra,
                                                 int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        extra[k] = labels[k - 1];  // fault
    }
}

extern "C" __global__ void load_above_the_first_row(const unsigned char *image, int *labels, int *extra,
                                                    int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        labels[k] = image[k - width];  // fault
    }
}

extern "C" __global__ void store_without_a_check_of_the_row(const unsigned char *image, int *labels, int *extra,
                                                            int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (x < width) {
        labels[k] = 1;  // fault
    }
}

extern "C" __global__ void store_without_a_check_of_the_column(const unsigned char *image, int *labels, int *extra,
                                                               int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (y < height) {
        labels[k] = 1;  // fault
    }
}

extern "C" __global__ void atomic_below_the_last_row(const unsigned char *image, int *labels, int *extra,
                                                     int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        atomicMin(&labels[k + width], 0);  // fault
    }
}

extern "C" __global__ void store_far_away(const unsigned char *image, int *labels, int *extra,
                                          int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        labels[k * 1000000 + 500000000] = 1;  // fault
    }
}

extern "C" __global__ void read_of_what_nobody_wrote(const unsigned char *image, int *labels, int *extra,
                                                     int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        labels[k] = values[k];  // fault
    }
}

extern "C" __global__ void read_of_what_one_block_wrote(const unsigned char *image, int *labels, int *extra,
                                                        int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (x < 32) {
        values[y * width + x] = 1;
    }
    __syncthreads();
    if (inside) {
        labels[k] = values[k];  // fault
    }
}

extern "C" __global__ void atomic_on_what_nobody_wrote(const unsigned char *image, int *labels, int *extra,
                                                       int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 119 && inside) {
        atomicAdd(&values[k], 1);  // fault
    }
}

extern "C" __global__ void shared_exchange_of_rows(const unsigned char *image, int *labels, int *extra,
                                                   int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t] = k;
    extra[0] = table[t ^ 32];  // fault
}

extern "C" __global__ void shared_exchange_of_lanes(const unsigned char *image, int *labels, int *extra,
                                                    int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t] = k;
    extra[0] = table[t ^ 1];  // fault
}

extern "C" __global__ void shared_stores_of_all(const unsigned char *image, int *labels, int *extra,
                                                int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[5] = t;  // fault
}

extern "C" __global__ void shared_atomic_after_a_store(const unsigned char *image, int *labels, int *extra,
                                                       int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    if (t == 0) {
        table[63] = 0;
    }
    atomicAdd(&table[63], 1);  // fault
}

extern "C" __global__ void shared_second_turn(const unsigned char *image, int *labels, int *extra,
                                              int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    for (int i = 0; i < 2; i++) {
        table[t] = i;  // fault
        __syncthreads();
        extra[t] = table[63 - t];
    }
}

extern "C" __global__ void shared_read_of_what_nobody_wrote(const unsigned char *image, int *labels, int *extra,
                                                            int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    if (t < 63) {
        table[t] = 1;
    }
    __syncthreads();
    extra[t] = table[t];  // fault
}

extern "C" __global__ void shared_read_in_the_last_block(const unsigned char *image, int *labels, int *extra,
                                                         int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    if (inside) {
        table[t] = 1;
    }
    __syncthreads();
    if (blockIdx.x == 1 && blockIdx.y == 1) {
        extra[t] = table[t];  // fault
    }
}

extern "C" __global__ void shared_store_past_the_end(const unsigned char *image, int *labels, int *extra,
                                                     int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t + 1] = 1;  // fault
}

extern "C" __global__ void shared_load_before_the_start(const unsigned char *image, int *labels, int *extra,
                                                        int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t] = 1;
    __syncthreads();
    extra[t] = table[t - 1];  // fault
}

extern "C" __global__ void shared_store_far_away(const unsigned char *image, int *labels, int *extra,
                                                 int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t + 30000] = 1;  // fault
}

extern "C" __global__ void dynamic_store_past_the_end(const unsigned char *image, int *labels, int *extra,
                                                      int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    dynamic_table[t + 1] = 1;  // fault
}

extern "C" __global__ void device_load_beside_a_store(const unsigned char *image, int *labels, int *extra,
                                                      int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside && k > 0) {
        labels[k] = 1;
        extra[k] = labels[k - 1];  // fault
    }
}

extern "C" __global__ void device_stores_of_two_blocks(const unsigned char *image, int *labels, int *extra,
                                                       int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        extra[y * width + threadIdx.x] = 1;  // fault
    }
}

extern "C" __global__ void device_atomic_after_a_store(const unsigned char *image, int *labels, int *extra,
                                                       int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 0) {
        extra[119] = 0;
    }
    if (inside) {
        atomicAdd(&extra[119], 1);  // fault
    }
}

extern "C" __global__ void device_barrier_orders_no_blocks(const unsigned char *image, int *labels, int *extra,
                                                           int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        labels[k] = 1;  // fault
    }
    __syncthreads();
    if (inside && x + 1 < width) {
        extra[k] = labels[k + 1];
    }
}

extern "C" __global__ void device_count_without_an_atomic(const unsigned char *image, int *labels, int *extra,
                                                          int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        extra[0] = extra[0] + 1;  // fault
    }
}

extern "C" __global__ void barrier_at_the_right_edge(const unsigned char *image, int *labels, int *extra,
                                                     int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (inside) {
        __syncthreads();  // fault
    }
}

extern "C" __global__ void barrier_after_a_return(const unsigned char *image, int *labels, int *extra,
                                                  int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (y >= height) {
        return;
    }
    __syncthreads();  // fault
}

extern "C" __global__ void barriers_of_two_kinds(const unsigned char *image, int *labels, int *extra,
                                                 int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (threadIdx.y == 0) {
        extra[0] = __syncthreads_or(1);
    } else {
        __syncthreads();  // fault
    }
}

extern "C" __global__ void ballot_after_a_return(const unsigned char *image, int *labels, int *extra,
                                                 int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (x >= width) {
        return;
    }
    extra[t] = (int)__ballot_sync(0xffffffffu, 1);  // fault
}

extern "C" __global__ void ballot_of_half_a_warp(const unsigned char *image, int *labels, int *extra,
                                                 int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    extra[t] = (int)__ballot_sync(0x0000ffffu, 1);  // fault
}

extern "C" __global__ void shuffle_of_a_part(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (threadIdx.x < 16) {
        extra[t] = __shfl_sync(0xffffffffu, t, 20);  // fault
    }
}

extern "C" __global__ void loop_without_an_end(const unsigned char *image, int *labels, int *extra,
                                               int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 41) {
        while (labels[k] == 0) {  // fault
        }
    }
}

extern "C" __global__ void assertion_at_the_right_edge(const unsigned char *image, int *labels, int *extra,
                                                       int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    assert(x < 60);  // fault
}

extern "C" __global__ void misaligned_load(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 41) {
        extra[k] = (int)*(const unsigned long long *)(labels + k);  // fault
    }
}

extern "C" __global__ void misaligned_store(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 41) {
        *(unsigned long long *)(labels + k) = 1ull;  // fault
    }
}

extern "C" __global__ void misaligned_atomic(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == 41) {
        atomicMax((unsigned long long *)(labels + k), 1ull);  // fault
    }
}

extern "C" __global__ void misaligned_across_the_end(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    if (k == width * height - 1) {
        *(unsigned long long *)(labels + k) = 1ull;  // fault
    }
}

extern "C" __global__ void misaligned_shared(const unsigned char *image, int *labels, int *extra,
                                             int *values, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int k = y * width + x;
    const bool inside = x < width && y < height;
    __shared__ int table[64];
    table[t] = 0;
    __syncthreads();
    if (k == 41) {
        *(unsigned long long *)(table + 3) = 1ull;  // fault
    }
    __syncthreads();
    extra[t] = table[t];
}
