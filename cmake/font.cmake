# The fonts of the plots are part of the library, so that a program draws the same picture on a machine without fonts.
enable_language(ASM)

find_path(LOOKBACK_FONT_DIR DejaVuSans-Bold.ttf
  PATHS /usr/share/fonts /usr/local/share/fonts
  PATH_SUFFIXES truetype/dejavu dejavu dejavu-sans-fonts TTF
  DOC "The folder of DejaVuSans.ttf and DejaVuSans-Bold.ttf")
if(NOT EXISTS "${LOOKBACK_FONT_DIR}/DejaVuSans.ttf" OR NOT EXISTS "${LOOKBACK_FONT_DIR}/DejaVuSans-Bold.ttf")
  message(FATAL_ERROR "DejaVuSans.ttf and DejaVuSans-Bold.ttf not found: install the package fonts-dejavu-core, "
    "or name their folder with -DLOOKBACK_FONT_DIR=...")
endif()

add_library(lookback_font OBJECT ${PROJECT_SOURCE_DIR}/src/plot/font_data.S)
target_compile_definitions(lookback_font PRIVATE
  LB_FONT_REGULAR="${LOOKBACK_FONT_DIR}/DejaVuSans.ttf" LB_FONT_BOLD="${LOOKBACK_FONT_DIR}/DejaVuSans-Bold.ttf")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/plot/font_data.S PROPERTIES
  OBJECT_DEPENDS "${LOOKBACK_FONT_DIR}/DejaVuSans.ttf;${LOOKBACK_FONT_DIR}/DejaVuSans-Bold.ttf")
