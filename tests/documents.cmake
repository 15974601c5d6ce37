# Compiles and runs the programs in the documents, extracted from the documents.
set(DOCUMENTS ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${DOCUMENTS}/lookback)

function(code_of_document page section output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${AWK} -v section=${section} -f ${PROJECT_SOURCE_DIR}/cmake/document_code.awk ${PROJECT_SOURCE_DIR}/${page} > ${output}
    DEPENDS ${PROJECT_SOURCE_DIR}/${page} ${PROJECT_SOURCE_DIR}/cmake/document_code.awk VERBATIM)
endfunction()

code_of_document(docs/guide.md "The whole program" ${DOCUMENTS}/readme_program.c)
add_executable(readme_program ${DOCUMENTS}/readme_program.c)
target_link_libraries(readme_program PRIVATE lookback lookback_options m)
add_test(NAME readme_program COMMAND readme_program)
set_tests_properties(readme_program PROPERTIES LABELS "slow;verify" ENVIRONMENT "${TEST_ENVIRONMENT}"
  PASS_REGULAR_EXPRESSION "  600  loss 0\\.[0-4][0-9]*\n$")

# The same program with one word replaced.
function(vary_readme_program output from to)
  add_custom_command(OUTPUT ${output} COMMAND sed s/${from}/${to}/ ${DOCUMENTS}/readme_program.c > ${output}
    DEPENDS ${DOCUMENTS}/readme_program.c VERBATIM)
endfunction()

# With a learning rate that is far too high, it fails with an error message.
vary_readme_program(${DOCUMENTS}/readme_diverging.c "lr = 3e-3f" "lr = 1e38f")
add_executable(readme_diverging ${DOCUMENTS}/readme_diverging.c)
target_link_libraries(readme_diverging PRIVATE lookback)
add_test(NAME readme_diverging COMMAND sh -c [[
  "$0" 2> "$1"
  test $? -eq 75 && grep -q "^lb_optimizer_step: step [0-9]*: the loss is not finite (training diverged): first in .*; a smaller learning rate may help" "$1"]]
  $<TARGET_FILE:readme_diverging> ${DOCUMENTS}/readme_diverging.txt)
set_tests_properties(readme_diverging PROPERTIES ENVIRONMENT "${TEST_ENVIRONMENT}")

# With each of its allocations failing it fails, too.
vary_readme_program(${DOCUMENTS}/readme_short.c "step < 600" "step < 2")
set_source_files_properties(${DOCUMENTS}/readme_short.c PROPERTIES
  COMPILE_DEFINITIONS main=readme_main COMPILE_OPTIONS -Wno-missing-prototypes)
add_executable(readme_out_of_memory documents/readme_out_of_memory.c ${DOCUMENTS}/readme_short.c)
target_link_libraries(readme_out_of_memory PRIVATE lookback_support)
add_test(NAME readme_out_of_memory COMMAND readme_out_of_memory)
set_tests_properties(readme_out_of_memory PROPERTIES ENVIRONMENT "${TEST_ENVIRONMENT}")

# The two examples in the first comment of lookback.h compile, and the program of README.
set(HEADER ${PROJECT_SOURCE_DIR}/include/lookback/lookback.h)
add_custom_command(OUTPUT ${DOCUMENTS}/header_examples.c
  COMMAND ${AWK} -f ${PROJECT_SOURCE_DIR}/cmake/header_examples.awk ${HEADER} > ${DOCUMENTS}/header_examples.c
  DEPENDS ${HEADER} ${PROJECT_SOURCE_DIR}/cmake/header_examples.awk VERBATIM)
code_of_document(README.md "From C" ${DOCUMENTS}/readme_from_c.c)
add_library(header_examples OBJECT ${DOCUMENTS}/header_examples.c ${DOCUMENTS}/readme_from_c.c)
target_link_libraries(header_examples PRIVATE lookback lookback_options)

# The op of docs/extending.md is added to the registry and passes the tests of all ops.
code_of_document(docs/extending.md "An op in ten minutes" ${DOCUMENTS}/square.c)
code_of_document(docs/extending.md "The cases of an op" ${DOCUMENTS}/square_cases.c)
add_custom_command(OUTPUT ${DOCUMENTS}/lookback/ops.h
  COMMAND ${AWK} -v mode=header -f ${PROJECT_SOURCE_DIR}/cmake/ops.awk ${LOOKBACK_OPS} ${DOCUMENTS}/square.c > ${DOCUMENTS}/lookback/ops.h
  DEPENDS ${LOOKBACK_OPS} ${DOCUMENTS}/square.c ${PROJECT_SOURCE_DIR}/cmake/ops.awk VERBATIM)
set(OP_DECLARATIONS "${OP_DECLARATIONS}extern const lb_op_proofs lb_proofs_square;\n")
set(OP_ENTRIES "${OP_ENTRIES}    &lb_proofs_square,\n")
configure_file(${PROJECT_SOURCE_DIR}/cmake/registry.c.in ${DOCUMENTS}/registry.c @ONLY)
add_executable(extending_op ${DOCUMENTS}/square.c ${DOCUMENTS}/square_cases.c ${DOCUMENTS}/lookback/ops.h
  ${DOCUMENTS}/registry.c unit/autograd/test_ops.c support/leaf.c support/op_trials.c support/suite.c)
target_include_directories(extending_op BEFORE PRIVATE ${DOCUMENTS} ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(extending_op PRIVATE lb_proofs_square=lb_proofs_square_f64)
target_link_libraries(extending_op PRIVATE lookback_f64_op_cases PkgConfig::CHECK PkgConfig::STB)
add_test(NAME extending_op COMMAND extending_op)
set_tests_properties(extending_op PROPERTIES LABELS verify ENVIRONMENT "${TEST_ENVIRONMENT};CK_FORK=no")

# Its attention becomes one of the library's, in a program of its own.
code_of_document(docs/extending.md "An attention in ten minutes" ${DOCUMENTS}/cosine.c)
code_of_document(docs/extending.md "The row of an attention" ${DOCUMENTS}/attention_row.c)
file(MAKE_DIRECTORY ${DOCUMENTS}/attention/lookback)
set(types ${PROJECT_SOURCE_DIR}/src/models/attention/types.c)
set(models ${PROJECT_SOURCE_DIR}/include/lookback/models.h)
add_custom_command(OUTPUT ${DOCUMENTS}/attention/types.c ${DOCUMENTS}/attention/lookback/models.h
  COMMAND sh -c [[sed "s/^    X(.*)\$/& $(cat "$0")/" "$1" > types.c]] ${DOCUMENTS}/attention_row.c ${types}
  COMMAND sh -c [[sed "s/^} lb_attention_kind/, $(sed 's/X(//; s/,.*//' "$0") &/" "$1" > lookback/models.h]]
    ${DOCUMENTS}/attention_row.c ${models}
  WORKING_DIRECTORY ${DOCUMENTS}/attention
  DEPENDS ${DOCUMENTS}/attention_row.c ${types} ${models} VERBATIM)
add_executable(extending_attention ${DOCUMENTS}/cosine.c ${DOCUMENTS}/attention/types.c
  ${DOCUMENTS}/attention/lookback/models.h ${PROJECT_SOURCE_DIR}/apps/lookback.c)
target_include_directories(extending_attention BEFORE PRIVATE ${DOCUMENTS}/attention)
target_link_libraries(extending_attention PRIVATE app_rooms PkgConfig::CJSON)
add_test(NAME extending_attention COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/documents/extending_attention.sh
  $<TARGET_FILE:extending_attention> ${DOCUMENTS}/attention/out)
set_tests_properties(extending_attention PROPERTIES LABELS programs ENVIRONMENT "${TEST_ENVIRONMENT}")

# The same for its format.
code_of_document(docs/extending.md "A format in ten minutes" ${DOCUMENTS}/format_split.c)
code_of_document(docs/extending.md "The row of a format" ${DOCUMENTS}/format_row.c)
code_of_document(docs/extending.md "How a format is recognised" ${DOCUMENTS}/format_recognition.c)
file(MAKE_DIRECTORY ${DOCUMENTS}/format)
set(formats ${PROJECT_SOURCE_DIR}/src/data/formats)
add_custom_command(OUTPUT ${DOCUMENTS}/format/pair_kind.c ${DOCUMENTS}/format/recognise.c
  COMMAND ${AWK} [[/^const lb_pair_kind_row lb_pair_kinds/ { system("cat format_split.c"); print; system("cat format_row.c"); next } { print; fflush() }]]
    ${formats}/pair_kind.c > format/pair_kind.c
  COMMAND ${AWK} [[/^} kinds/ { inside = 1 } inside && /^};/ { system("cat format_recognition.c"); inside = 0 } { print; fflush() }]]
    ${formats}/recognise.c > format/recognise.c
  WORKING_DIRECTORY ${DOCUMENTS}
  DEPENDS ${DOCUMENTS}/format_split.c ${DOCUMENTS}/format_row.c ${DOCUMENTS}/format_recognition.c ${formats}/pair_kind.c
    ${formats}/recognise.c VERBATIM)
add_executable(extending_format ${DOCUMENTS}/format/pair_kind.c ${DOCUMENTS}/format/recognise.c ${PROJECT_SOURCE_DIR}/apps/lookback.c)
target_link_libraries(extending_format PRIVATE app_rooms PkgConfig::CJSON)
add_test(NAME extending_format COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/documents/extending_format.sh
  $<TARGET_FILE:extending_format> ${CMAKE_CURRENT_SOURCE_DIR}/data/formats/words.tsv ${DOCUMENTS}/format/out)
set_tests_properties(extending_format PROPERTIES LABELS programs ENVIRONMENT "${TEST_ENVIRONMENT}")

# Its setting, in copies of the files that its page names.
set(SETTING ${DOCUMENTS}/setting)
file(MAKE_DIRECTORY ${SETTING}/lookback)
code_of_document(docs/extending.md "A setting in ten minutes" ${SETTING}/field.txt)
code_of_document(docs/extending.md "The row of a setting" ${SETTING}/row.txt)
code_of_document(docs/extending.md "The use of a setting" ${SETTING}/use.txt)
function(insert_code code before source output)
  add_custom_command(OUTPUT ${output}
    COMMAND ${AWK} -v before=${before} ${ARGN} -f ${PROJECT_SOURCE_DIR}/cmake/insert_code.awk ${code} ${PROJECT_SOURCE_DIR}/${source} > ${output}
    DEPENDS ${code} ${PROJECT_SOURCE_DIR}/${source} ${PROJECT_SOURCE_DIR}/cmake/insert_code.awk VERBATIM)
endfunction()
insert_code(${SETTING}/field.txt "    int shards;" include/lookback/translate.h ${SETTING}/lookback/translate.h)
insert_code(${SETTING}/row.txt "{.name = NULL}" src/settings/table.c ${SETTING}/table.c)
insert_code(${SETTING}/use.txt ".optimizer = {" src/translate/plan/recipe.c ${SETTING}/recipe.c -v instead=1)
add_executable(extending_setting documents/extending_setting.c ${SETTING}/lookback/translate.h ${SETTING}/table.c
  ${SETTING}/recipe.c ${PROJECT_SOURCE_DIR}/src/settings/setting.c)
target_include_directories(extending_setting BEFORE PRIVATE ${SETTING} ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(extending_setting PRIVATE lookback_support lookback_options PkgConfig::CJSON)
add_test(NAME extending_setting COMMAND extending_setting)
set_tests_properties(extending_setting PROPERTIES LABELS quick ENVIRONMENT "${TEST_ENVIRONMENT}")

# What a page shows, or one of its sections, is what its commands print.
function(document_outputs name page)
  add_test(NAME ${name}_outputs COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/documents/outputs.sh
    ${PROJECT_SOURCE_DIR}/${page} ${PROJECT_BINARY_DIR}/bin ${ARGN})
  set_tests_properties(${name}_outputs PROPERTIES LABELS "programs;slow" ENVIRONMENT "${TEST_ENVIRONMENT}")
endfunction()
document_outputs(different tests/documents/outputs_differ.md)
set_tests_properties(different_outputs PROPERTIES LABELS quick PASS_REGULAR_EXPRESSION "differ.md:13: the output differs from the page at \"14 words\"")
document_outputs(readme README.md "Three commands")
document_outputs(tutorial docs/tutorial.md)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  document_outputs(reproduce docs/reproduce.md) # the bits of the example
endif()
