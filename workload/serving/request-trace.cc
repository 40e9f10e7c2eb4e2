// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/request-trace.h"

#include "common/error.h"
#include "common/table-lines.h"
#include "workload/serving/csv-requests.h"
#include "workload/serving/json-requests.h"
#include "workload/serving/length-distribution.h"

#include <fmt/format.h>

#include <utility>

namespace nadi
{

void
CheckTokens(const Request& request, const std::string& where)
{
    const auto isFit = [](uint64_t tokens)
    { return tokens > 0 && tokens <= LengthDistribution::MOST; };
    if (!isFit(request.input) || !isFit(request.output))
    {
        throw ConfigError(where,
                          fmt::format("a prompt of {} and an answer of {} tokens; each has one or "
                                      "more, and {} at most",
                                      request.input,
                                      request.output,
                                      LengthDistribution::MOST));
    }
}

std::unique_ptr<RequestSource>
OpenRequestTrace(const RequestTraceOptions& options)
{
    TableLines lines(options.file);
    if (!lines.Next())
    {
        throw ConfigError(options.file, "is empty; write requests as docs/serving.md says");
    }
    // Lines of JSON are objects; all forms of CSV begin with a header.
    if (lines.Line().starts_with('{'))
    {
        return std::make_unique<JsonRequests>(options, std::move(lines));
    }
    const CsvRequestForm* const form = FindCsvRequestForm(lines.Line());
    if (form == nullptr)
    {
        throw ConfigError(lines.Where(),
                          "is the header of no known form of requests; see docs/serving.md for "
                          "those that are");
    }
    return std::make_unique<CsvRequests>(options, *form, std::move(lines));
}

} // namespace nadi
