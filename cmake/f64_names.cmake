# Writes a header that renames every function found in LIBRARY to its name in double.
execute_process(COMMAND ${NM} -g --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " lb_[a-z0-9_]+\n" names "${symbols}")
# The fonts are the same bytes in both.
list(FILTER names EXCLUDE REGEX " lb_font_data")
list(SORT names)
list(REMOVE_DUPLICATES names)
set(text "/* Generated: the names of the double library. */\n")
foreach(name ${names})
  string(STRIP "${name}" name)
  string(APPEND text "#define ${name} ${name}_f64\n")
endforeach()
file(WRITE ${OUTPUT}.new "${text}")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
