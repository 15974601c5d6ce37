/* For targets whose inputs are JSON texts. */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed;
    cJSON *tree = mutate_draw(&state, 3) ? cJSON_ParseWithLength((const char *)data, size) : NULL;
    if (!tree) return LLVMFuzzerMutate(data, size, most);
    mutate_tree(tree, &state);
    char *text = mutate_draw(&state, 4) ? cJSON_PrintUnformatted(tree) : cJSON_Print(tree);
    size_t length = text ? strlen(text) : 0;
    bool fits = text && length <= most;
    if (fits) memcpy(data, text, length);
    cJSON_free(text);
    cJSON_Delete(tree);
    return fits ? length : LLVMFuzzerMutate(data, size, most);
}
