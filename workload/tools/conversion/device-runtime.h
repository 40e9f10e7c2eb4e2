// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

namespace nadi
{

/// What a call of CUDA's, HIP's or CANN's runtime or driver waits for.
enum class RuntimeWait
{
    None,
    Stream, ///< the host waits for all work of a stream
    Device, ///< for all work of the device
    Event,  ///< for the work before an event
};

RuntimeWait FindRuntimeWait(std::string_view call);

/// Whether the call lets a stream wait for an event of another.
bool IsStreamWait(std::string_view call);

/// Whether the call copies memory, in which case it may wait for its own copy.
bool IsCopyCall(std::string_view call);

} // namespace nadi
