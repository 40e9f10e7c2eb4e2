// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/not-yet.h"

#include "common/text.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Whether they are one value: on, true and yes are.
bool
IsSameWord(const std::string& a, const std::string& b)
{
    const std::optional<bool> value = FindSwitch(a);
    return a == b || (value && value == FindSwitch(b));
}

void
Check(const ConfigNode& node, const NotYetKey& key)
{
    const std::string& text = node.Scalar(JoinWithOr(key.words));
    if (IsSameWord(text, key.defaultText))
    {
        return;
    }
    if (std::none_of(key.words.begin(),
                     key.words.end(),
                     [&](const std::string& word) { return IsSameWord(text, word); }))
    {
        FailUnknownWord(node, key.words);
    }
    node.Fail("\"" + text + "\" is not available yet; write " + key.defaultText);
}

} // namespace

Field
MakeNotYetField(const NotYetKey& key)
{
    Field field;
    field.name = key.name;
    field.help = key.help + " (only " + key.defaultText + " is available yet)";
    field.read = [key](const ConfigNode& node) { Check(node, key); };
    field.write = [text = key.defaultText]() -> std::optional<Json> { return Json(text); };
    Json values = Json::array({key.defaultText});
    if (const std::optional<bool> value = FindSwitch(key.defaultText))
    {
        values.push_back(*value);
    }
    field.schema["enum"] = values;
    return field;
}

} // namespace nadi
