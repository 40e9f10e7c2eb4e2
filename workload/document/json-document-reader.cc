// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/document/document-reader.h"

namespace nadi
{

TraceDocument
ReadJsonDocument(std::string_view contents, const std::string& source)
{
    throw ConfigError(source, "is JSON of " + std::to_string(contents.size()) + " bytes");
}

} // namespace nadi
