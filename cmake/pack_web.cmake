# Puts files into a page, each as gzip in base64, in place of @NAME@:
#   cmake -D IN=page.html -D OUT=page.html -D "FILES=WASM=a.wasm;WORKER=b.js+c.js" -P pack_web.cmake
# Files joined by + become one.
cmake_minimum_required(VERSION 3.25)
file(READ ${IN} text)
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^([A-Z]+)=(.*)$" pair "${pair}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "+" ";" parts "${CMAKE_MATCH_2}")
  set(whole ${OUT}.${name})
  execute_process(COMMAND cat ${parts} OUTPUT_FILE ${whole} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9n -c ${whole} COMMAND base64 -w 0 OUTPUT_VARIABLE packed COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${whole})
  string(REPLACE "@${name}@" "${packed}" text "${text}")
endforeach()
file(WRITE ${OUT} "${text}")
