/* Random changes of a tree of JSON. */
#ifndef PROOF_MUTATE_JSON_H
#define PROOF_MUTATE_JSON_H

#include "proof/campaign.h"

#include <cjson/cJSON.h>

/** Changes one thing in the tree: replaces, removes, repeats, renames or nests something, or makes an array long. */
void proof_mutate_json(cJSON *tree, proof_dice *dice);

/** Replaces a number everywhere, as if the model had another size. */
void proof_resize_json(cJSON *header, cJSON *metadata, proof_dice *dice);

#endif
