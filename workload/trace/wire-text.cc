// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/wire-text.h"

#include "common/utf8-text.h"
#include "workload/trace/wire-reader.h"

namespace nadi
{

void
RequireUtf8(std::string_view bytes)
{
    if (!IsUtf8(bytes))
    {
        throw WireError(bytes.data(), "text that is not UTF-8");
    }
}

std::string
MakeUtf8(std::string_view bytes)
{
    RequireUtf8(bytes);
    return std::string(bytes);
}

} // namespace nadi
