# lookback_mpi, the only code that knows MPI, where MPI is found. Programs load it when mpirun starts them; others link it.
# Another MPI than the first one found: -DMPI_C_COMPILER=mpicc.mpich.
option(LOOKBACK_MPI "Training on several processes, where MPI is found" ${PROJECT_IS_TOP_LEVEL})
if(NOT LOOKBACK_MPI OR NOT LOOKBACK_FILES OR EMSCRIPTEN OR CMAKE_CROSSCOMPILING OR LOOKBACK_SANITIZE)
  return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
  return()
endif()
add_library(lookback_mpi SHARED ${PROJECT_SOURCE_DIR}/src/mpi/mpi.c)
set_target_properties(lookback_mpi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
target_link_libraries(lookback_mpi PRIVATE lookback lookback_options MPI::MPI_C)
target_include_directories(lookback_mpi INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(lookback_mpi PRIVATE LINKER:--exclude-libs,ALL)
