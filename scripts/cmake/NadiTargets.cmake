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
  # Left out are the checks of every pointer that is followed. They make a third of the time that
  # compiling takes, and the address sanitizer finds most of what they would.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-sanitize=null,alignment,vptr,object-size -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  if(NADI_FUZZ)
    # libFuzzer sees which code an input reaches.
    add_compile_options(-fsanitize=fuzzer-no-link)
  else()
    # A run spends no time in these: what optimising them costs is more than it saves.
    set(NADI_UNOPTIMISED nadi-trace-document nadi-trace-tools nadi-configuration nadi-importers
                         nadi-workload
                         nadi-simulation nadi-cli)
  endif()
endif()

# A simulation spends no time in these, and they are half of what is compiled. They are spared the
# passes that cost more than they save here: inlining beyond what makes code smaller, and
# optimisations across blocks. Measured and left out: nadi-simulation and nadi-workload, since a run
# of many messages takes some 6 % longer, and one that serves requests 40 %.
set(NADI_COLD nadi-trace-document nadi-trace-tools nadi-configuration nadi-importers nadi-cli)
set(NADI_COLD_OPTIONS -O1)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND NADI_COLD_OPTIONS
    --param=inline-unit-growth=0 --param=large-unit-insns=0
    -fno-tree-pta -fno-tree-dominator-opts -fno-tree-ch -fno-tree-sra
    -fno-if-conversion -fno-if-conversion2)
endif()

# nadi_layer(<name> SOURCES <file>... [LIBRARIES <library>...])
function(nadi_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${NADI_WARNINGS})
  if(name IN_LIST NADI_COLD)
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:${NADI_COLD_OPTIONS}>")
  endif()
  if(name IN_LIST NADI_UNOPTIMISED)
    target_compile_options(${name} PRIVATE -O0)
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
