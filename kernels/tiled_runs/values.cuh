// Pixels with several values: which of a tile's pixels have the values of their neighbours, as
// words, and the values along the sides of blocks. Part of words.cuh, for MULTIVALUED.
#pragma once

// 32 pixels side by side, four in a word.
struct Pixels {
    unsigned int fours[8];

    // The pixels from x on in a row, from an address that is a multiple of 16; 0 outside the image.
    static __device__ __forceinline__ Pixels load(const unsigned char *image, int x, int y,
                                                  int width, int height)
    {
        Pixels pixels = {};
        if (y >= 0 && y < height && x < width) {
            const uint4 *row = (const uint4 *)(image + (long long)y * width + x);
            const uint4 none = {0, 0, 0, 0};
            const uint4 first = row[0];
            const uint4 second = x + 16 < width ? row[1] : none;
            pixels = {{first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w}};
        }
        return pixels;
    }

    // The same pixels, one to the right of where they are, with another before them; or to the
    // left.
    __device__ __forceinline__ Pixels after(unsigned int before) const
    {
        Pixels shifted;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            shifted.fours[k] = fours[k] << 8 | (k > 0 ? fours[k > 0 ? k - 1 : 0] >> 24 : before);
        }
        return shifted;
    }

    __device__ __forceinline__ Pixels before(unsigned int after) const
    {
        Pixels shifted;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            shifted.fours[k] = fours[k] >> 8 | (k < 7 ? fours[k < 7 ? k + 1 : 7] : after) << 24;
        }
        return shifted;
    }

    // Which of these differ from others, as bits.
    __device__ __forceinline__ unsigned int differ(const Pixels &others) const
    {
        unsigned int bits = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            bits |= pack_bytes(fours[k] ^ others.fours[k]) << 4 * k;
        }
        return bits;
    }
};

// A pixel's value; 0 outside the image.
static __device__ __forceinline__ int value_at(const unsigned char *image, int x, int y, int width,
                                               int height)
{
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? image[(long long)y * width + x] : 0;
}

// The band of this lane in a tile that begins at pixel (x, y), and which pixels have the values of
// their neighbours. All lanes must call.
//
// Where rows begin at multiples of 16 bytes, a lane compares its own row with that above, 4 pixels
// at a time. Otherwise the warp goes from row to row, a lane per pixel, and ballots make the words.
static __device__ __forceinline__ Band load_band(const unsigned char *image, int x, int y,
                                                 int width, int height)
{
    const int lane = threadIdx.x;
    const auto value = [&](int column, int row) {
        return value_at(image, column, row, width, height);
    };
    unsigned int filled = 0, left = 0, up = 0, up_left = 0, up_right = 0;
    if ((((unsigned long long)image | (unsigned int)width) & 15u) == 0) {
        const int row = y + lane;
        const Pixels own = Pixels::load(image, x, row, width, height);
        const Pixels above = Pixels::load(image, x, row - 1, width, height);
        filled = own.differ(Pixels{});
        left = filled & ~own.differ(own.after(value(x - 1, row)));
        up = filled & ~own.differ(above);
#if CONNECTIVITY == 8
        up_left = filled & ~own.differ(above.after(value(x - 1, row - 1)));
        up_right = filled & ~own.differ(above.before(value(x + 32, row - 1)));
#endif
    } else {
        for (int at = 0; at < TILE_H; ++at) {
            const int column = x + lane;
            const int row = y + at;
            const int own = value(column, row);
            const unsigned int of_row[5] = {
                __ballot_sync(ALL_LANES, own != 0),
                __ballot_sync(ALL_LANES, own != 0 && own == value(column - 1, row)),
                __ballot_sync(ALL_LANES, own != 0 && own == value(column, row - 1)),
#if CONNECTIVITY == 8
                __ballot_sync(ALL_LANES, own != 0 && own == value(column - 1, row - 1)),
                __ballot_sync(ALL_LANES, own != 0 && own == value(column + 1, row - 1)),
#endif
            };
            if (at == lane) {
                filled = of_row[0];
                left = of_row[1];
                up = of_row[2];
                up_left = of_row[3];
                up_right = of_row[4];
            }
        }
    }
    const unsigned int starts = filled & ~(left & ~1u);
    return {filled, filled, filled, starts, left, up, up_left, up_right};
}

// The values of the pixels on a side of a block.
struct Values {
    const unsigned char *first;  // the block's first pixel on it
    int step;                    // from one pixel to the next
    int inside;                  // pixels from the first one to the end of the image
    bool before, after;

    // The value of a pixel, as Side.node() counts; 0 for background, and outside the image.
    __device__ __forceinline__ int at(int at, int length) const
    {
        if ((at < 0 && !before) || (at >= length && !after) || at >= inside) {
            return 0;
        }
        return first[(long long)at * step];
    }
};
