/* What Apple's compiler says of an x86-64 processor, for zig, which has nothing to say: no instruction set beside the
 * first. It makes the program link, and is in nothing that anybody runs. */
// NOLINTBEGIN(bugprone-reserved-identifier)
struct cpu_model {
    unsigned int vendor, type, subtype, features[1];
};

extern struct cpu_model __cpu_model;
struct cpu_model __cpu_model;
extern unsigned int __cpu_features2[1];
unsigned int __cpu_features2[1];

int __cpu_indicator_init(void);

int __cpu_indicator_init(void)
{
    return 0;
}
// NOLINTEND(bugprone-reserved-identifier)
