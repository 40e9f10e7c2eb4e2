// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace convert` was given.
struct ConversionArguments
{
    std::string from;               ///< pytorch, text, msccl, chakra
    std::vector<std::string> files; ///< FILE or TRACES; with text, then key=value
    std::string groups;             ///< --groups, of chakra
    std::vector<std::string> host;  ///< --host
    std::vector<std::string> device;
    std::optional<uint32_t> ranks;
    bool hostPace = false;            ///< chakra: AddHostPace
    bool alignClocks = false;         ///< chakra: BeginLater
    std::vector<uint32_t> dimensions; ///< of the stack, innermost first
    std::string size;                 ///< of the buffer of a collective: "1 MiB"
    std::string out;
};

/// What a conversion made, for the last lines of the command.
struct Conversion
{
    std::string name;            ///< of the files
    std::vector<uint32_t> ranks; ///< that have a trace
    uint32_t groupCount = 0;
    std::vector<std::string> notes; ///< what was taken otherwise than it stands, a sentence each
};

/// Each writes the traces into `out`. Throws UsageError for arguments that it lacks or cannot use,
/// and ConfigError for files that it cannot read.
Conversion ConvertChakra(const ConversionArguments& arguments);
Conversion ConvertMsccl(const ConversionArguments& arguments);
Conversion ConvertText(const ConversionArguments& arguments);
Conversion ConvertPyTorch(const ConversionArguments& arguments);

} // namespace nadi
