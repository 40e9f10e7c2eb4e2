# SPDX-License-Identifier: GPL-2.0-only
# How the layers become targets. Every layer is an OBJECT library, since self-registering
# components would be dropped from a static one; an executable names all layers it contains.

set(NADI_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 invents overlaps in std::string's operator+ (its bug 105651)
  list(APPEND NADI_WARNINGS -Wno-restrict)
endif()
if(NADI_WARNINGS_AS_ERRORS)
  list(APPEND NADI_WARNINGS -Werror)
endif()

if(NADI_SANITIZE)
  # instrumented, g++ 12 takes parts of <regex> and Boost.Graph for uninitialised
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND NADI_WARNINGS -Wno-maybe-uninitialized)
  endif()
  # Left out are the checks of every pointer that is computed or followed. They make two fifths of
  # the time that compiling takes, and the address sanitizer finds most of what they would.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-sanitize=null,alignment,vptr,object-size,pointer-overflow
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(NADI_FUZZ)
    # libFuzzer sees which code an input reaches.
    add_compile_options(-fsanitize=fuzzer-no-link)
  else()
    # A run spends no time in these: what optimising them costs is more than it saves. Reports name
    # their functions without line numbers, which would take a seventh of the time to compile.
    set(NADI_UNOPTIMISED nadi-trace-document nadi-trace-tools nadi-configuration nadi-importers
                         nadi-workload
                         nadi-simulation nadi-cli)
  endif()
endif()

# How much a layer of a release is optimised follows from where runs spend their time. Layers that
# no list names get all that CMake's Release asks for.
#
# A simulation spends no time in these, and they are half of what is compiled. They are spared the
# passes that cost more than they save here: inlining beyond what makes code smaller, and
# optimisations across blocks and functions.
set(NADI_COLD nadi-trace-document nadi-trace-tools nadi-configuration nadi-importers nadi-cli)
set(NADI_COLD_OPTIONS -O1)
# Runs spend little in these. What they save was measured against what runs lose: up to 2 % of the
# instructions of a run with nadi-system at -O1, up to 4 % of the time of one that serves requests
# with nadi-workload at -O2. Left as they were: nadi-network, whose search of ways takes 15 % longer
# at -O2, and nadi-simulation, where serving takes 10 % longer.
set(NADI_OPTIONS_nadi-system -O1)
set(NADI_OPTIONS_nadi-workload -O2)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND NADI_COLD_OPTIONS
    --param=inline-unit-growth=0 --param=large-unit-insns=0
    -fno-tree-pta -fno-tree-dominator-opts -fno-tree-ch -fno-tree-sra
    -fno-if-conversion -fno-if-conversion2 -fno-ipa-modref -fno-ipa-pure-const)
  list(APPEND NADI_OPTIONS_nadi-workload -fno-tree-pta -fno-ipa-modref -fno-ipa-pure-const)
  # g++ collects its garbage while it compiles. That takes a tenth of its time, and saves a quarter
  # of the 2 to 3 GiB that large layers take. A machine with enough memory does without it.
  cmake_host_system_information(RESULT memory_mebibytes QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR enough_mebibytes "4000 * ${processors}")
  if(memory_mebibytes GREATER_EQUAL enough_mebibytes)
    add_compile_options(--param=ggc-min-heapsize=3000000)
  endif()
endif()
foreach(layer ${NADI_COLD})
  set(NADI_OPTIONS_${layer} ${NADI_COLD_OPTIONS})
endforeach()

# nadi_layer(<name> SOURCES <file>... [LIBRARIES <library>...])
function(nadi_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${NADI_WARNINGS})
  target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:${NADI_OPTIONS_${name}}>")
  if(name IN_LIST NADI_UNOPTIMISED)
    target_compile_options(${name} PRIVATE -O0 -g0)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES})
endfunction()

# nadi_executable(<name> SOURCES <file>... LAYERS <layer>... [LIBRARIES <library>...])
function(nadi_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${NADI_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_LAYERS} ${ARG_LIBRARIES})
endfunction()
