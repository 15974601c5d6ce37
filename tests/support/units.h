/* The units of one test program. */
#ifndef SUPPORT_UNITS_H
#define SUPPORT_UNITS_H

/* tests/<layer>/<name>.c, by its main function; NULL if it has none. */
typedef struct support_unit {
    const char *name;
    int (*run)(void);
} support_unit;

/* All units; ends with the name NULL. CMake generates it from cmake/units.c.in. */
extern const support_unit support_units[];

#endif
