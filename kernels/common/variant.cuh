// Which variant of an algorithm a kernel is built in: the values of the macro VARIANT.
//
// A file that has variants says in its header what each of them does. Callers choose by the
// parameter `variant`: paper, project or printed.
#pragma once

// What the paper says, statement by statement; where the printed text gives wrong labels, with the
// smallest correction.
#define VARIANT_PAPER 1
// With the changes of this project, which spare work and give the same labels.
#define VARIANT_PROJECT 2
// As printed, with an error that the paper's variant corrects.
#define VARIANT_PRINTED 3

#ifndef VARIANT
#define VARIANT VARIANT_PAPER
#endif
