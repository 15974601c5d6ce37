#include "lookback/base.h"

#define TEXT_OF(number) TEXT(number)
#define TEXT(number)    #number

const char *lb_version(void)
{
    return TEXT_OF(LB_VERSION_MAJOR) "." TEXT_OF(LB_VERSION_MINOR) "." TEXT_OF(LB_VERSION_PATCH);
}
