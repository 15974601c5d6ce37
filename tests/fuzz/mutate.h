/* Changes to inputs that libFuzzer does not make: to JSON as a tree, and to safetensors files with a right checksum.
 * libFuzzer calls LLVMFuzzerCustomMutator, which mutate_NAME.c of some targets define, and has LLVMFuzzerMutate. */
#ifndef MUTATE_H
#define MUTATE_H

#include <cJSON.h>
#include <stddef.h>
#include <stdint.h>

/** Changes `size` bytes in place into at most `most`; returns the new size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/** The same, for a target whose inputs have a structure. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/** A number below `count`; every call advances the state. */
size_t mutate_draw(uint64_t *state, size_t count);

/** Changes one place of a tree, at random. Texts that are JSON themselves, as in the metadata of a model file, are
 *  changed as trees, too. */
void mutate_tree(cJSON *root, uint64_t *state);

#endif
