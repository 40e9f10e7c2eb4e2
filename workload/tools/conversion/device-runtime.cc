// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/device-runtime.h"

namespace nadi
{

namespace
{

bool
ContainsPart(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

} // namespace

/// Parts of the names are looked for, as the runtimes of CUDA and HIP and the drivers have prefixes
/// of their own.
RuntimeWait
FindRuntimeWait(std::string_view call)
{
    if (!ContainsPart(call, "Synchronize"))
    {
        return RuntimeWait::None;
    }
    if (ContainsPart(call, "Stream"))
    {
        return RuntimeWait::Stream;
    }
    return ContainsPart(call, "Event") ? RuntimeWait::Event : RuntimeWait::Device;
}

bool
IsStreamWait(std::string_view call)
{
    return ContainsPart(call, "StreamWaitEvent");
}

bool
IsCopyCall(std::string_view call)
{
    return ContainsPart(call, "Memcpy");
}

} // namespace nadi
