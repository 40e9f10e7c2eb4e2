// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/csv-requests.h"

#include "common/check.h"
#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

// A form is recognised by its whole header, so columns that are not read are named too.
constexpr std::array<CsvRequestForm, 4> CSV_REQUEST_FORMS{{
    {.name = "Azure LLM inference",
     .header = "TIMESTAMP,ContextTokens,GeneratedTokens",
     .time = "TIMESTAMP",
     .input = "ContextTokens",
     .output = "GeneratedTokens",
     .isDate = true},
    {.name = "BurstGPT",
     .header = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
     .time = "Timestamp",
     .input = "Request tokens",
     .output = "Response tokens",
     .skipsEmpty = true},
    {.name = "Vidur",
     .header = "arrived_at,num_prefill_tokens,num_decode_tokens",
     .time = "arrived_at",
     .input = "num_prefill_tokens",
     .output = "num_decode_tokens"},
    {.name = "Splitwise-sim",
     .header = "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,"
               "token_size",
     .time = "arrival_timestamp",
     .input = "prompt_size",
     .output = "token_size"},
}};

/// Requires: the header has the column.
size_t
FindColumn(std::string_view header, std::string_view name)
{
    const std::vector<std::string_view> columns = SplitAtCommas(header);
    const auto found = std::find(columns.begin(), columns.end(), name);
    NADI_CHECK(found != columns.end());
    return static_cast<size_t>(found - columns.begin());
}

} // namespace

const CsvRequestForm*
FindCsvRequestForm(std::string_view header)
{
    const auto found = std::find_if(CSV_REQUEST_FORMS.begin(),
                                    CSV_REQUEST_FORMS.end(),
                                    [&](const CsvRequestForm& form) {
                                        return SplitAtCommas(form.header) == SplitAtCommas(header);
                                    });
    return found == CSV_REQUEST_FORMS.end() ? nullptr : &*found;
}

CsvRequests::CsvRequests(const RequestTraceOptions& options,
                         const CsvRequestForm& form,
                         TableLines lines)
    : m_options(options)
    , m_form(form)
    , m_lines(std::move(lines))
    , m_clock(options.speed)
    , m_columns(SplitAtCommas(form.header).size())
    , m_time(FindColumn(form.header, form.time))
    , m_input(FindColumn(form.header, form.input))
    , m_output(FindColumn(form.header, form.output))
{
}

/// In seconds. A date becomes the time since the first date of the file.
double
CsvRequests::TimeOf(std::string_view text)
{
    if (!m_form.isDate)
    {
        return ReadSeconds(text, m_form.time, m_lines.Where());
    }
    const TraceDate date = ReadDateTime(text, m_lines.Where());
    m_firstDate = m_firstDate.value_or(date);
    if (date.hasZone != m_firstDate->hasZone)
    {
        throw ConfigError(m_lines.Where(),
                          fmt::format("\"{}\" has {} zone, and the first date has {}; write all "
                                      "dates with a zone, or none",
                                      text,
                                      date.hasZone ? "a" : "no",
                                      date.hasZone ? "none" : "one"));
    }
    return date.seconds - m_firstDate->seconds;
}

std::optional<Request>
CsvRequests::Next()
{
    while (!IsEnough(m_options, m_given) && m_lines.Next())
    {
        const std::string where = m_lines.Where();
        const std::vector<std::string_view> fields = SplitAtCommas(m_lines.Line());
        if (fields.size() != m_columns)
        {
            throw ConfigError(
                where,
                fmt::format(
                    "{} columns; a file of {} has {}", fields.size(), m_form.name, m_columns));
        }
        Request request;
        // Asked also for lines that are left out below: a file has to be sorted as a whole.
        request.arrival = m_clock.At(TimeOf(fields[m_time]), where);
        request.input = ReadCount(fields[m_input], m_form.input, where);
        request.output = ReadCount(fields[m_output], m_form.output, where);
        if (request.output == 0 && m_form.skipsEmpty)
        {
            continue;
        }
        CheckTokens(request, where);
        request.id = m_given++;
        return request;
    }
    return std::nullopt;
}

} // namespace nadi
