// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/node-numbers.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr size_t LONGEST_NAME_SHOWN = 80;

} // namespace

NodeError::NodeError(const std::string& source, const NodeRecord& record, const std::string& text)
    : ConfigError(
          source,
          fmt::format(
              "node {} \"{}\": {}", record.id, record.name.substr(0, LONGEST_NAME_SHOWN), text))
    , m_text(text)
{
}

void
ThrowAtNode(const std::string& source, const NodeRecord& record, const std::string& problem)
{
    throw NodeError(source, record, problem);
}

void
NodeNumbers::ThrowOutOfRange(NodeAttribute attribute,
                             const std::string& least,
                             const std::string& most) const
{
    ThrowAtNode(m_source,
                m_record,
                fmt::format("{} is {}; it must be a whole number from {} to {}",
                            ToText(attribute),
                            ToText(m_record.Get(attribute)),
                            least,
                            most));
}

} // namespace nadi
