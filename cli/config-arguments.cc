// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command.h"
#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "common/units.h"
#include "configuration/extreme-value.h"
#include "configuration/key-reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nadi
{

namespace
{

/// Whether `word` is what stands behind the number of a quantity.
bool
IsUnit(const std::string& word)
{
    const auto isRead = [&word](auto parse)
    {
        try
        {
            parse("1 " + word);
            return true;
        }
        catch (const UnitError&)
        {
            return false;
        }
    };
    return isRead(&ParseBytes) || isRead(&ParseBandwidth) || isRead(&ParseTime) ||
           isRead(&ParseFlopRate);
}

/// What is wrong with the form of a setting; empty where nothing is. Whether the key exists is only
/// known when the configuration is read.
std::string
CheckSetting(const std::string& setting)
{
    const size_t sign = setting.find('=');
    if (sign != std::string::npos && sign > 0)
    {
        return "";
    }
    const std::string problem = "\"" + setting + "\" is not key.path=value, such as ";
    return IsUnit(setting)
               ? problem + "\"key=1 " + setting + "\": quote a value and its unit together"
               : problem + "network.packet.payload=\"1 KB\"";
}

constexpr size_t KEYS_SUGGESTED = 3;

/// The path of a key as a setting names it: the first item stands for those of a list.
std::string
ToSettingPath(std::string path)
{
    for (size_t place = path.find("[]"); place != std::string::npos; place = path.find("[]", place))
    {
        path.insert(place + 1, "0");
    }
    return path;
}

/// The keys whose path is `name` or ends with it, those of fewest sections first.
std::vector<std::string>
FindKeysThatEndWith(const std::string& name)
{
    std::vector<std::string> paths;
    for (const KeyGroup& group : DescribeKeys())
    {
        for (const KeyDescription& key : group.keys)
        {
            // What the keys of a component belong to is not known here.
            if (!group.isComponent && (key.path == name || key.path.ends_with("." + name)))
            {
                paths.push_back(ToSettingPath(key.path));
            }
        }
    }
    const auto depth = [](const std::string& path) { return std::ranges::count(path, '.'); };
    std::ranges::stable_sort(paths, {}, depth);
    return paths;
}

/// In quotes where a shell would cut it or read it otherwise.
std::string
QuoteForShell(const std::string& value)
{
    const bool isPlain =
        std::ranges::all_of(value,
                            [](unsigned char letter) {
                                return std::isalnum(letter) != 0 ||
                                       std::string("._-+/:,%").find(letter) != std::string::npos;
                            });
    return isPlain ? value : "\"" + value + "\"";
}

/// "--set network.backend=flow" for "--backend" and "flow"; several where several keys end so;
/// empty where none does.
std::string
SuggestSettings(const std::string& option, const std::string& value)
{
    const size_t begin = option.find_first_not_of('-');
    if (begin == std::string::npos)
    {
        return "";
    }
    std::vector<std::string> settings;
    for (const std::string& path : FindKeysThatEndWith(option.substr(begin)))
    {
        settings.push_back("--set " + path + "=" + (value.empty() ? "..." : QuoteForShell(value)));
    }
    settings.resize(std::min(settings.size(), KEYS_SUGGESTED));
    return JoinWithOr(settings);
}

bool
IsOfRates(const std::overflow_error& error)
{
    return dynamic_cast<const RateOverflow*>(&error) != nullptr;
}

} // namespace

std::vector<CommandOption>
ConfigArguments::Options()
{
    return {{.name = "CONFIG",
             .target = &file,
             .help = "the configuration, a YAML file",
             .isRequired = true},
            {.name = "--set",
             .target = &settings,
             .help = "override a key for this run; may be repeated",
             .valueName = "KEY.PATH=VALUE",
             .check = &CheckSetting,
             .replace = &SuggestSettings}};
}

ExitCode
ConfigArguments::BlameForClockEnd(const std::function<ExitCode()>& work) const
{
    try
    {
        return work();
    }
    // Arithmetic of times throws this, and cannot know which configuration the values came from.
    catch (const std::overflow_error& error)
    {
        const ConfigDocument document(file, settings);
        if (const ConfigNode* extreme =
                IsOfRates(error) ? FindHighestRate(document) : FindExtremeValue(document))
        {
            extreme->Fail(fmt::format("with {}, {}", extreme->text, DescribeClockEnd(error)));
        }
        throw ConfigError(file, DescribeClockEnd(error));
    }
}

std::string
DescribeClockEnd(const std::overflow_error& error)
{
    if (IsOfRates(error))
    {
        return fmt::format("{}; write lower bandwidths", error.what());
    }
    return fmt::format("{}: the simulated clock ends after 106 days; write smaller sizes, shorter "
                       "times or higher rates",
                       error.what());
}

} // namespace nadi
