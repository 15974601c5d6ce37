/* Included before each unit of a test program (-include): renames its main function to SUPPORT_UNIT, which CMake
 * defines, because the program has many units. */
#ifndef SUPPORT_UNIT_H
#define SUPPORT_UNIT_H

int SUPPORT_UNIT(void);
#define main SUPPORT_UNIT

#endif
