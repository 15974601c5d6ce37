/* Stands in front of each unit of a test program (-include): there its main function is one among many, under a name of
 * its own, SUPPORT_UNIT, which CMake hands over. */
#ifndef SUPPORT_UNIT_H
#define SUPPORT_UNIT_H

int SUPPORT_UNIT(void);
#define main SUPPORT_UNIT

#endif
