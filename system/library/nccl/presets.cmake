# SPDX-License-Identifier: GPL-2.0-only
# Writes the presets of configs/libraries into a source, so that the simulator has them wherever it
# is installed: cmake -DFOLDER=... -DOUTPUT=... -P presets.cmake. A line of such a file is
# "key: value  # explanation; source".
set(rows "")
file(GLOB files ${FOLDER}/*.yaml)
list(SORT files)
foreach(file ${files})
  get_filename_component(preset ${file} NAME_WE)
  file(STRINGS ${file} lines REGEX "^[a-z]")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([a-z0-9-]+): +([^#]*[^# ]) +# (.*)$")
      message(FATAL_ERROR "${file}: not \"key: value  # explanation\": ${line}")
    endif()
    string(REPLACE "\"" "\\\"" explanation "${CMAKE_MATCH_3}")
    string(APPEND rows
           "    {\"${preset}\", \"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\", \"${explanation}\"},\n")
  endforeach()
endforeach()
set(text "// Made of configs/libraries by presets.cmake.
#include \"system/library/nccl/presets.h\"

namespace nadi::nccl
{

const std::vector<PresetRow>&
PresetRows()
{
  static const std::vector<PresetRow> rows{
${rows}  };
  return rows;
}

} // namespace nadi::nccl
")
file(WRITE ${OUTPUT} "${text}")
