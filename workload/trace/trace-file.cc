// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-file.h"

#include "common/error.h"
#include "workload/trace/binary-trace.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-trace.h"
#include "workload/trace/schema-sniffer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace nadi
{

namespace
{

constexpr size_t TEXT_SAMPLE = 32;

/// A binary trace begins with a short length and a protobuf tag: control characters.
bool
LooksLikeText(std::string_view contents)
{
    const std::string_view sample = contents.substr(0, TEXT_SAMPLE);
    // Shorter contents are left to the reader of binary traces.
    return sample.size() == TEXT_SAMPLE &&
           std::all_of(sample.begin(),
                       sample.end(),
                       [](char letter) {
                           return (letter >= ' ' && letter <= '~') || letter == '\t' ||
                                  letter == '\n' || letter == '\r';
                       });
}

/// The sum of the bytes of a header of 512, with blanks in the place of the sum itself, which the
/// header gives in octal digits. A trace can have the letters "ustar" where an archive has them.
bool
IsTarArchive(std::string_view contents)
{
    constexpr size_t magicAt = 257;
    constexpr size_t sumAt = 148;
    if (contents.size() < 512 || contents.substr(magicAt, 5) != "ustar")
    {
        return false;
    }
    uint64_t sum = 8 * ' ';
    uint64_t given = 0;
    for (size_t i = 0; i < 512; ++i)
    {
        const bool isOfSum = i >= sumAt && i < sumAt + 8;
        const auto byte = static_cast<uint8_t>(contents[i]);
        sum += isOfSum ? 0 : byte;
        given = isOfSum && byte >= '0' && byte <= '7' ? 8 * given + (byte - '0') : given;
    }
    return sum == given;
}

} // namespace

TraceFile
ParseTrace(std::string contents, const std::string& source, const TraceReading& reading)
{
    if (IsCompressed(contents))
    {
        contents = Inflate(contents, source);
    }
    if (contents.empty())
    {
        throw ConfigError(source, "is empty; a trace has a frame for each node");
    }
    // An archive or a text could pass for a binary trace, whose error would only name a byte.
    if (IsTarArchive(contents))
    {
        throw ConfigError(source, "is a tar archive; unpack it and name the traces in it");
    }
    if (!LooksLikeJson(contents) && LooksLikeText(contents))
    {
        throw ConfigError(source,
                          "is a text, not a Chakra trace; a text workload of ASTRA-sim 1 becomes "
                          "one with nadi trace convert --from text");
    }
    return LooksLikeJson(contents) ? ParseJsonTrace(contents, source, reading)
                                   : ParseBinaryTrace(contents, source, reading);
}

TraceFile
ParseTrace(std::string contents,
           const std::string& source,
           DependencyPolicy policy,
           TraceListener& listener)
{
    return ParseTrace(std::move(contents), source, TraceReading{policy, listener});
}

TraceFile
ReadTraceFile(const std::string& path, const TraceReading& reading)
{
    return ParseTrace(ReadFileContents(path), path, reading);
}

TraceFile
ReadTraceFile(const std::string& path, DependencyPolicy policy)
{
    return ReadTraceFile(path, {.dependencies = policy, .listener = ThrowProblems()});
}

} // namespace nadi
