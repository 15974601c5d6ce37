/* What the memory sanitizer has to know about memory that Lookback hands out itself. The tests run with
 * poison_in_malloc=0: what other libraries allocate counts as written, because they are not instrumented. */
#ifndef LB_UNWRITTEN_H
#define LB_UNWRITTEN_H

#ifdef __has_feature
#    if __has_feature(memory_sanitizer)
#        include <sanitizer/allocator_interface.h>
#        include <sanitizer/msan_interface.h>
#        define LB_MEMORY_SANITIZER
#    endif
#endif

/** LB_MARK_UNWRITTEN(memory, bytes): from now on, reading the bytes before they are written is an error.
 *  LB_MARK_WRITTEN(memory, bytes): they may be read as they are.
 *  LB_MARK_RELEASED(memory): others may allocate these bytes again. In other builds, all three do nothing. */
#ifdef LB_MEMORY_SANITIZER
#    define LB_MARK_UNWRITTEN(memory, bytes) __msan_poison(memory, bytes)
#    define LB_MARK_WRITTEN(memory, bytes)   __msan_unpoison(memory, bytes)
#    define LB_MARK_RELEASED(memory)         __msan_unpoison(memory, __sanitizer_get_allocated_size(memory))
#else
#    define LB_MARK_UNWRITTEN(memory, bytes) ((void)(memory), (void)(bytes))
#    define LB_MARK_WRITTEN(memory, bytes)   ((void)(memory), (void)(bytes))
#    define LB_MARK_RELEASED(memory)         ((void)(memory))
#endif

#endif
