/* Loads the library at run time, computes with it, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ISO C has no conversion from void * to a function pointer; POSIX guarantees the same representation. */
#define LOAD(function, name)                                                                                 \
    do {                                                                                                     \
        void *symbol = dlsym(library, name);                                                                 \
        if (!symbol) return fail();                                                                          \
        memcpy(&(function), &symbol, sizeof symbol);                                                         \
    } while (0)

static int fail(void)
{
    fprintf(stderr, "%s\n", dlerror());
    return 1;
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return fail();
    const char *(*version)(void);
    void *(*params_new)(unsigned long long seed);
    int (*params_count)(const void *params);
    void (*params_free)(void *params);
    LOAD(version, "lb_version");
    LOAD(params_new, "lb_params_new");
    LOAD(params_count, "lb_params_count");
    LOAD(params_free, "lb_params_free");
    void *params = params_new(7);
    int count = params ? params_count(params) : -1;
    params_free(params);
    printf("lookback %s: %d parameters in a new store\n", version(), count);
    return count == 0 ? 0 : 1;
}
