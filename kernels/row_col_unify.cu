// Row-Col Unify: O. Kalentev, A. Rai, S. Kemnitz, R. Schneider, "Connected component labeling on a
// 2D grid using CUDA", J. Parallel Distrib. Comput. 71 (2011), section 2.1, Algorithms 1 to 5,
// Figures 1 to 3.
//
// The idea. The smallest label spreads along whole rows, then along whole columns, and so on until
// nothing changes. A block takes one row (column) into shared memory and unites it by a reduction:
// neighbouring elements are joined in pairs, then pairs of pairs at their middle, and so on. Beside
// the labels lies an array of references: an element refers to the first element of its run within
// the group joined so far. Joining two groups lowers the label of the left run's first element and
// lets the right run's first element refer to it; an update then hands both on to all elements. So
// a label crosses n elements in log2(n) steps, but turns only one corner per pass: a spiral of n x
// n needs n/2 + 2 iterations if it begins downwards, and one fewer if it begins to the right.
//
// Launch shape: one dimension; init has one thread per cell, blocks of any size. Rows and columns:
// one block per row or column, with at most SEGMENT / 2 threads, each for two elements.
// In:  image       uint8,  height x width, 0 is background
// Out: labels      uint32, (height + 1) x (width + 1): one background cell in front of each row and
//                  column, which must hold 0 before the first launch. A label is the address of a
//                  cell in this array; 0 is background
//      is_not_done uint32, one element, the paper's ContinueInd: set to 1 if a label has to change
//
// Differences from the paper:
// - Algorithm 3 (UnifyRowI) makes both elements of a pair refer to the first, even where one of
//   them is background. The next update then copies the first element's label onto the second:
//   background becomes foreground, or the reverse. Corrected: the second refers to the first only
//   if both are foreground, otherwise to itself, which is what the text says of Figure 2.
//   REFERENCES = VARIANT_PRINTED is the algorithm as printed.
// - Only Algorithm 3 sets ContinueInd, so that labels which differ across two pairs do not count,
//   and the loop can end too early. Corrected: Algorithm 4 sets it too, where the two elements that
//   it joins differ. CHECKS = VARIANT_PRINTED is the algorithm as printed. A thread that has to set
//   it does so once, at the end of its line.
// - Algorithm 2 has no barrier between the first step and the second, which reads labels and
//   references of two other threads. Without one a reference may not be set yet, and would name any
//   address: all forms have a barrier there.
// - VARIANT_PAPER has these corrections and no other change: each label is loaded and stored once,
//   and all threads update after every step. The update also writes elements that hold already what
//   they get, while others read them. These races do no harm: such an element is the first of a
//   run, which its step has given all that the update gives it again.
// - VARIANT_PROJECT spares work: a row in which no neighbours differ is left as it is, an update
//   that follows a step which joined nothing is left out, and only changes are written, so that no
//   element that is read is written. Background refers to the front element.
// - CONSECUTIVE 1 (variant=consecutive): lanes update elements that lie side by side, not every
//   second one, which avoids nearly all bank conflicts of the update, to measure what these cost.
//   All else is VARIANT_PAPER.
// - The paper does not say which condition the extra front element spares. The label array has it
//   too, so that label 0 is free to mean background.
// - The paper takes rows of 1024 only. Here a row or column has any length. What is longer than a
//   block can hold is taken in segments, forwards, each beginning with the label that the one
//   before ended with, and then backwards, to bring smaller labels from the right; each row is
//   united wholly in every pass, as in the paper.
//
// harmless race, same value: row_col_unify_rows.is_not_done, row_col_unify_columns.is_not_done: all
//   threads that write store the same 1.
// harmless race, one writer: row_col_unify_rows.shared_labels,
//   row_col_unify_rows.shared_references, row_col_unify_columns.shared_labels,
//   row_col_unify_columns.shared_references: in the paper's form an element that others read in an
//   update is stored with the value that it has.

#include "common/flag.cuh"
#include "common/variant.cuh"

#ifndef SEGMENT
#define SEGMENT 1024
#endif
#ifndef REFERENCES
#define REFERENCES VARIANT
#endif
#ifndef CHECKS
#define CHECKS VARIANT
#endif

#ifndef CONSECUTIVE
#define CONSECUTIVE 0
#endif

#define BACKGROUND 0u
#define FRONT 0

// Where the elements of a row or column lie: element i, counted from 1, at labels[base + i *
// stride].
struct Line {
    unsigned int base;
    unsigned int stride;
    int length;
};

static __device__ __forceinline__ unsigned int address_of(const Line &line, int element)
{
    return line.base + (unsigned int)element * line.stride;
}

static __device__ __forceinline__ unsigned int smaller(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

// Whether two neighbouring elements are in one run and have different labels.
static __device__ __forceinline__ bool differ(unsigned int left, unsigned int right)
{
    return left != BACKGROUND && right != BACKGROUND && left != right;
}

// Algorithm 3, UnifyRowI: the first step, for the pair of elements i and i + 1. Both get the
// smaller label if they are foreground, and all get their references. Returns whether they
// differed.
static __device__ __forceinline__ bool unify_pair(unsigned int *labels, int *references, int i)
{
    const unsigned int left = labels[i];
    const unsigned int right = labels[i + 1];
    const bool changed = differ(left, right);
    if (changed) {
        labels[i] = smaller(left, right);
        labels[i + 1] = smaller(left, right);
    }
#if REFERENCES == VARIANT_PRINTED
    references[i] = i;
    references[i + 1] = i;
#elif REFERENCES == VARIANT_PROJECT
    references[i] = left != BACKGROUND ? i : FRONT;
    references[i + 1] = right == BACKGROUND ? FRONT : (left != BACKGROUND ? i : i + 1);
#else
    references[i] = i;
    references[i + 1] = left != BACKGROUND && right != BACKGROUND ? i : i + 1;
#endif
    return changed;
}

// Algorithm 4, UnifyRowL: join two groups between the elements i and i + 1. The first element of
// the left run gets the smaller label, and the first of the right run refers to it from now on.
// Returns whether there was a run to join; `differed` tells whether its parts had different labels.
//
// No races: what is read and written lies in the two groups, and no other thread works on these.
static __device__ __forceinline__ bool unify_groups(unsigned int *labels, int *references, int i,
                                                    bool *differed)
{
#if VARIANT != VARIANT_PROJECT
    const int first = references[i];
#endif
    const unsigned int left = labels[i];
    const unsigned int right = labels[i + 1];
    if (left == BACKGROUND || right == BACKGROUND) {
        return false;
    }
#if VARIANT == VARIANT_PROJECT
    const int first = references[i];
#endif
    *differed |= left != right;
    labels[first] = smaller(left, right);
    labels[i + 1] = smaller(left, right);
    references[i + 1] = first;
    return true;
}

// Algorithm 5, Update, for one element: it takes the label and the reference of the element that it
// refers to.
//
// An element that others refer to holds already what it would get. So the project's form, which
// does not write it, has no races, and those of the paper's form do no harm.
static __device__ __forceinline__ void update(unsigned int *labels, int *references, int i)
{
    const int reference = references[i];
    const unsigned int label = labels[reference];
    const int first = references[reference];
    if (VARIANT != VARIANT_PROJECT || label != labels[i]) {
        labels[i] = label;
    }
    if (VARIANT != VARIANT_PROJECT || first != reference) {
        references[i] = first;
    }
}

#if VARIANT == VARIANT_PROJECT
// Whether an element of a segment, counted from 1, and the one behind it are in one run and have
// different labels, as they lie in the label array.
static __device__ __forceinline__ bool differ_at(const unsigned int *labels, const Line &line,
                                                 int element)
{
    return element >= 1 && element < line.length &&
           differ(labels[address_of(line, element)], labels[address_of(line, element + 1)]);
}
#endif

// Algorithm 2 for one segment of a row or column: the elements offset + 1 to offset + count. Every
// thread of the block calls this. Returns whether there were labels to change; in the project's
// form all threads return the same, otherwise each speaks of the elements that it joined.
//
// Phases, with a barrier after each: compare neighbours (the project's form alone); load; first
// step; for each doubling of the groups a reduction and an update; store.
// Invariant: a label only falls, and is the address of a cell of the same component.
static __device__ bool unify_segment(unsigned int *labels, const Line &line, int offset, int count,
                                     bool forwards)
{
    __shared__ unsigned int shared_labels[SEGMENT + 1];
    __shared__ int shared_references[SEGMENT + 1];
    const int t = threadIdx.x;
    const int threads = blockDim.x;
    // The element that meets another segment: the one before, or on the way back the one behind.
    const int border = forwards ? 1 : count;
    const int beside = forwards ? 0 : count + 1;

#if VARIANT == VARIANT_PROJECT
    bool changed = t == 0 && forwards && differ_at(labels, line, offset);
    for (int i = t + 1; i <= count; i += threads) {
        changed |= (i < count || !forwards) && differ_at(labels, line, offset + i);
    }
    if (!__syncthreads_or(changed)) {
        return false;
    }
#endif

    bool differed = false;  // whether this thread saw labels in one run that differ
    for (int i = t + 1; i <= 2 * threads; i += threads) {
        unsigned int label = i <= count ? labels[address_of(line, offset + i)] : BACKGROUND;
        if (i == border && label != BACKGROUND && offset + beside > FRONT &&
            offset + beside <= line.length) {
            const unsigned int other = labels[address_of(line, offset + beside)];
            differed |= differ(label, other);
            label = differ(label, other) ? smaller(label, other) : label;
        }
        shared_labels[i] = label;
    }
    if (t == 0) {
        shared_labels[FRONT] = BACKGROUND;
        shared_references[FRONT] = FRONT;
    }
    __syncthreads();
    differed |= unify_pair(shared_labels, shared_references, 2 * t + 1);
    __syncthreads();

    for (int group = 2; group < count; group *= 2) {
        const int middle = (2 * t + 1) * group;
        bool ahead = false;
        const bool joined =
            middle < count && unify_groups(shared_labels, shared_references, middle, &ahead);
#if CHECKS != VARIANT_PRINTED
        differed |= ahead;
#endif
#if VARIANT == VARIANT_PROJECT
        if (!__syncthreads_or(joined)) {
            continue;
        }
#else
        (void)joined;
        __syncthreads();
#endif
        update(shared_labels, shared_references, CONSECUTIVE ? t + 1 : 2 * t + 1);
        update(shared_labels, shared_references, CONSECUTIVE ? t + 1 + threads : 2 * t + 2);
        __syncthreads();
    }

    for (int i = t + 1; i <= count; i += threads) {
        labels[address_of(line, offset + i)] = shared_labels[i];
    }
    __syncthreads();  // the next segment overwrites the arrays, and reads the labels stored here
    return VARIANT == VARIANT_PROJECT || differed;
}

// Unite one row or column, segment by segment, forwards and backwards.
static __device__ void unify_line(unsigned int *labels, unsigned int *is_not_done, const Line &line)
{
    const int segment = 2 * (int)blockDim.x;
    bool changed = false;
    int offset = 0;
    for (; offset < line.length; offset += segment) {
        const int left = line.length - offset;
        changed |= unify_segment(labels, line, offset, left < segment ? left : segment, true);
    }
    for (offset -= 2 * segment; offset >= 0; offset -= segment) {
        changed |= unify_segment(labels, line, offset, segment, false);
    }
    if (changed && (VARIANT != VARIANT_PROJECT || threadIdx.x == 0)) {
        raise_flag(is_not_done);
    }
}

// InitializeLabels. Each thread gives its cell its address as label. No races: a thread writes only
// its own cell.
extern "C" __global__ void row_col_unify_init(const unsigned char *image, unsigned int *labels,
                                              int width, int height)
{
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (unsigned int)width * (unsigned int)height) {
        return;
    }
    const unsigned int y = id / (unsigned int)width;
    const unsigned int x = id - y * (unsigned int)width;
    const unsigned int address = (y + 1u) * ((unsigned int)width + 1u) + x + 1u;
    labels[address] = image[id] != 0 ? address : BACKGROUND;
}

// UnifyRow. A block gives every run of its row the smallest label in it.
//
// Races: in device memory none but the flag, which everyone who sets it sets to 1. A block reads
// and writes one row.
extern "C" __global__ void row_col_unify_rows(unsigned int *labels, unsigned int *is_not_done,
                                              int width)
{
    const unsigned int pitch = (unsigned int)width + 1u;
    const Line row = {(blockIdx.x + 1u) * pitch, 1u, width};
    unify_line(labels, is_not_done, row);
}

// UnifyCol. As UnifyRow, along columns: the same steps, but accesses to the label array are a row
// apart, and not coalesced.
extern "C" __global__ void row_col_unify_columns(unsigned int *labels, unsigned int *is_not_done,
                                                 int width, int height)
{
    const Line column = {blockIdx.x + 1u, (unsigned int)width + 1u, height};
    unify_line(labels, is_not_done, column);
}
