// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-file.h"

#include "common/error.h"
#include "workload/trace/binary-trace.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/json-trace.h"
#include "workload/trace/schema-sniffer.h"

namespace nadi
{

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
    return LooksLikeJson(contents) ? ParseJsonTrace(contents, source, policy)
                                   : ParseBinaryTrace(contents, source, policy);
}

TraceFile
ReadTraceFile(const std::string& path, DependencyPolicy policy)
{
    return ParseTrace(ReadFileContents(path), path, policy);
}

} // namespace nadi
