// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-file.h"

#include "common/error.h"
#include "workload/trace/binary-trace.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-trace.h"
#include "workload/trace/schema-sniffer.h"

#include <algorithm>
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
    return sample.size() == TEXT_SAMPLE &&
           std::all_of(sample.begin(),
                       sample.end(),
                       [](char letter) {
                           return (letter >= ' ' && letter <= '~') || letter == '\t' ||
                                  letter == '\n' || letter == '\r';
                       });
}

bool
IsTarArchive(std::string_view contents)
{
    constexpr size_t magicAt = 257;
    return contents.size() > magicAt && contents.substr(magicAt, 5) == "ustar";
}

} // namespace

TraceFile
ParseTrace(std::string contents, const std::string& source, DependencyPolicy policy)
{
    if (IsCompressed(contents))
    {
        contents = Inflate(contents, source);
    }
    if (contents.empty())
    {
        throw ConfigError(source, "is empty; a trace has a frame for each node");
    }
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
    return LooksLikeJson(contents) ? ParseJsonTrace(contents, source, policy)
                                   : ParseBinaryTrace(contents, source, policy);
}

TraceFile
ReadTraceFile(const std::string& path, DependencyPolicy policy)
{
    return ParseTrace(ReadFileContents(path), path, policy);
}

} // namespace nadi
