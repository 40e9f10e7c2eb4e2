// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "configuration/sections.h"

namespace nadi
{

namespace
{

/// A section that may also be a path, or have keys `file` and paths of keys that override.
Json
AllowInclude(Json section)
{
    Json file = {{"type", "string"}, {"description", "A YAML file with the keys of this section."}};
    section["properties"]["file"] = file;
    // Keys with a dot or a bracket are paths (ConfigDocument). No declared key of a section has
    // either, so the pattern admits paths, while other unknown keys stay refused.
    section["patternProperties"]["[.\\[]"]["description"] = "A key inside the included file.";
    Json result = Json::object();
    result["description"] = section["description"];
    section.erase("description");
    result["anyOf"] = Json::array({Json{{"type", "string"}}, section});
    return result;
}

} // namespace

std::string
MakeConfigSchema()
{
    Config config;
    Json schema = Json::object();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "Nadi configuration";
    // The sections are bound to a Config that nothing was read into, so what they write as default
    // is what such a Config holds.
    schema.update(MakeSectionSchema(DescribeConfig(config)));
    for (const char* name : {"workload", "system", "network"})
    {
        schema["properties"][name] = AllowInclude(schema["properties"][name]);
    }
    return schema.dump(2) + "\n";
}

} // namespace nadi
