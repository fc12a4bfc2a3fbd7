// Union-find on an array of labels: the equivalence table *is* the label image.
//
// labels[k] is the cell that cell k points at. A cell that points at itself is a root. Every
// function here keeps one invariant: a cell points at itself or at a cell with a smaller index.
// So trees have no cycles, every walk ends, and the root of a component's final tree is its first
// cell in raster order.
#pragma once

#include "common/variant.cuh"

// Walk from a cell to the root of its tree.
//
// Other threads may be merging trees at the same time. A walk that reads an old parent merely takes
// a longer path: an old parent is still an ancestor.
static __device__ __forceinline__ int find_root(const int *labels, int label)
{
    int parent = labels[label];
    while (parent != label) {
        label = parent;
        parent = labels[label];
    }
    return label;
}

// Make a cell point at the root of its tree. A cell without a label, which is negative, stays as it
// is.
//
// No root changes here. Races, where every cell is flattened at the same time: others shorten the
// same paths meanwhile. A thread reads either an old label or the root; both lead to the root, the
// latter sooner. The papers store the root in every cell; the project's variant leaves out the
// store where the cell holds its root already.
static __device__ __forceinline__ void flatten(int *labels, int cell)
{
    const int label = labels[cell];
    if (label < 0) {
        return;
    }
#if VARIANT == VARIANT_PROJECT
    if (label == cell) {
        return;
    }
#endif
    const int root = find_root(labels, label);
    if (VARIANT != VARIANT_PROJECT || root != label) {
        labels[cell] = root;
    }
}

// Join the trees of two cells: Hennequin et al. 2018, Algorithm 2 (after Playne and Hawick, built
// on Komura's reduction).
//
// Both walks stop early when they meet. Then the larger root is made to point at the smaller one by
// an atomic minimum. If another thread was faster, the atomic returns the parent which that thread
// had written (label3): nothing is lost, because the smaller of both is stored, and the loop goes
// on to join that parent too. The larger of the two labels falls in every turn, so the loop ends.
static __device__ __forceinline__ void merge(int *labels, int label1, int label2)
{
    while (label1 != label2 && label1 != labels[label1]) {
        label1 = labels[label1];
    }
    while (label1 != label2 && label2 != labels[label2]) {
        label2 = labels[label2];
    }
    while (label1 != label2) {
        if (label1 < label2) {
            const int swap = label1;
            label1 = label2;
            label2 = swap;
        }
        const int label3 = atomicMin(&labels[label1], label2);
        label1 = (label1 == label3) ? label2 : label3;
    }
}
