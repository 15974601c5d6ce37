# Joins a page, its styles and its modules into one file, without any tool but CMake:
#   cmake -D FOLDER=web/report -D PAGE=report.html -D ENTRY=main -D OUT=report.html -P join_web.cmake
#
# All modules share one scope, those that are imported from other folders, too. An `import` line only says which module
# must come first, and names that two modules declare are an error. In the page, @STYLE@ is replaced by all styles of
# the folder, @SCRIPT@ by all modules, and @NONCE@ by a value that only these have, for the content security policy.
# Any other placeholder stays. A style may begin with `@import "../common/page.css";`: the file replaces the line.
cmake_minimum_required(VERSION 3.25)

set(joined "")
set(visited "")
set(declared "")

# Depth first, so that a module comes after all that it imports.
function(visit module)
  if(module IN_LIST visited)
    return()
  endif()
  list(APPEND visited ${module})
  file(READ "${FOLDER}/${module}.js" text)
  # In a regular expression of CMake, ^ is only the start of the text.
  set(text "\n${text}")
  string(REGEX MATCHALL "\nimport [^;]* from \"[a-z_./]+\\.js\"" imports "${text}")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE ".*\"([a-z_./]+)\\.js\"" "\\1" import "${import}")
    cmake_path(GET module PARENT_PATH folder)
    cmake_path(APPEND folder ${import} OUTPUT_VARIABLE import)
    cmake_path(NORMAL_PATH import)
    visit(${import})
  endforeach()
  string(REGEX REPLACE "\nimport [^;]*;" "" text "${text}")
  string(REGEX REPLACE "\nexport " "\n" text "${text}")
  string(REGEX MATCHALL "\n(async function|function|const|let|class) [A-Za-z0-9_]+" names "${text}")
  foreach(name IN LISTS names)
    string(REGEX REPLACE ".* " "" name "${name}")
    if(name IN_LIST declared)
      message(FATAL_ERROR
        "${FOLDER}/${module}.js: ${name} is declared by another module, too; expected names that differ")
    endif()
    list(APPEND declared ${name})
  endforeach()
  string(STRIP "${text}" text)
  set(joined "${joined}\n// ${module}.js\n${text}\n" PARENT_SCOPE)
  set(visited "${visited}" PARENT_SCOPE)
  set(declared "${declared}" PARENT_SCOPE)
endfunction()

function(refuse text what)
  string(FIND "${text}" "${what}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${FOLDER}: found ${what} in a style or a module, where it would end the element it is in")
  endif()
endfunction()

visit(${ENTRY})
file(GLOB modules RELATIVE ${FOLDER} ${FOLDER}/*.js)
foreach(module IN LISTS modules)
  string(REGEX REPLACE "\\.js$" "" module "${module}")
  if(NOT module IN_LIST visited)
    message(FATAL_ERROR "${FOLDER}/${module}.js: no module imports it")
  endif()
endforeach()

set(styles "")
file(GLOB files ${FOLDER}/*.css)
list(SORT files)
foreach(file IN LISTS files)
  file(READ ${file} text)
  # What is imported may begin so, too, from a folder beside this one.
  while(text MATCHES "@import \"([a-z_./]+)\";")
    set(import "${CMAKE_MATCH_0}")
    file(READ ${FOLDER}/${CMAKE_MATCH_1} imported)
    string(REPLACE "${import}" "${imported}" text "${text}")
  endwhile()
  string(APPEND styles "${text}")
endforeach()
refuse("${joined}" "</script")
refuse("${styles}" "</style")

string(SHA256 nonce "${styles}${joined}")
string(SUBSTRING ${nonce} 0 32 nonce)
file(READ ${FOLDER}/${PAGE} text)
string(REPLACE "@NONCE@" ${nonce} text "${text}")
string(REPLACE "@STYLE@" "${styles}" text "${text}")
string(REPLACE "@SCRIPT@" "${joined}" text "${text}")
file(WRITE ${OUT} "${text}")
