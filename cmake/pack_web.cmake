# Puts files into a page in place of @NAME@:
#   cmake -D IN=page.html -D OUT=page.html -D "PACKED=WASM=a.wasm;WORKER=b.js+c.js" -D TEXTS=ENGINE=engine.html \
#     -P pack_web.cmake
# Packed ones are gzip in base64, and files joined by + become one; texts stay as they are.
cmake_minimum_required(VERSION 3.25)
file(READ ${IN} text)
foreach(pair IN LISTS PACKED)
  string(REGEX MATCH "^([A-Z]+)=(.*)$" pair "${pair}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "+" ";" parts "${CMAKE_MATCH_2}")
  set(whole ${OUT}.${name})
  execute_process(COMMAND cat ${parts} OUTPUT_FILE ${whole} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9n -c ${whole} COMMAND base64 -w 0 OUTPUT_VARIABLE packed COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${whole})
  string(REPLACE "@${name}@" "${packed}" text "${text}")
endforeach()
foreach(pair IN LISTS TEXTS)
  string(REGEX MATCH "^([A-Z]+)=(.*)$" pair "${pair}")
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} part)
  string(REPLACE "@${name}@" "${part}" text "${text}")
endforeach()
file(WRITE ${OUT} "${text}")
