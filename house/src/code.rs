//! What of a source file is code? It is parsed with `syn`, so that a rule finds words of the language and nothing else.

use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Code of one file.
pub struct Code {
    /// As long as the file, with every comment, text and character replaced by spaces.
    pub text: String,
    /// Functions with a body, without those that are only built for tests.
    pub functions: Vec<Function>,
    /// Paths that begin with `crate`, `super`, `self`, or a module that the file declares; without those that are only built for tests.
    pub paths: Vec<Named>,
    /// Modules that the file declares and that have a file of their own: `mod name;`, with what `#[path]` says.
    pub modules: Vec<Module>,
    /// What `Statement::new` is called with; without those that are only built for tests.
    pub statements: Vec<Said>,
    /// Texts that begin with `label-`, each with its line: sentences without arguments; without those that are only built for tests.
    pub labels: Vec<(String, usize)>,
    /// Texts in quotes, each with its line; without raw texts.
    pub literals: Vec<(String, usize)>,
    /// Functions, types, variants, fields, constants and modules that the file declares, each with its line; without those that are only built for tests.
    pub declared: Vec<(String, usize)>,
    /// Why it is no Rust file; rules that need the parsed file find nothing in it.
    pub unparsed: Option<String>,
    /// Bytes of items that are only built for tests.
    tests: Vec<Range<usize>>,
}

/// One function with a body.
pub struct Function {
    pub name: String,
    /// Line of its `fn`, from 1.
    pub line: usize,
    /// Lines from `fn` to the closing brace.
    pub lines: usize,
}

/// One statement that is made: `Statement::new("id").count("depth", 3)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The identifiers that it can have; several where one is chosen.
    pub ids: Vec<String>,
    /// The arguments that it is given in the same expression; `steps-count` with each list.
    pub arguments: Vec<String>,
    pub line: usize,
}

/// A path that is named somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// `["crate", "engine", "Op"]`.
    pub words: Vec<String>,
    pub line: usize,
    /// The name under which it is handed on (`pub use`); `*` for all that is there.
    pub handed_on_as: Option<String>,
}

/// `mod name;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    pub is_test: bool,
    pub path: Option<String>,
}

impl Code {
    pub fn of(source: &str) -> Code {
        let tokens: Result<TokenStream, _> = source.parse();
        let file = match &tokens {
            Ok(tokens) => {
                syn::parse2::<syn::File>(tokens.clone()).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        let mut found = Found::default();
        let mut declared = Declared::default();
        if let Ok(file) = &file {
            found.visit_file(file);
            declared.visit_file(file);
        }
        let is_test = |at: usize| found.tests.iter().any(|range| range.contains(&at));
        let mut names = Names {
            modules: found
                .modules
                .iter()
                .map(|(module, _)| module.name.clone())
                .collect(),
            found: Vec::new(),
        };
        let mut text: Vec<u8> = source
            .bytes()
            .map(|byte| if byte == b'\n' { b'\n' } else { b' ' })
            .collect();
        let mut labels = Vec::new();
        let mut literals = Vec::new();
        if let Ok(tokens) = tokens {
            crate::literals::collect(tokens.clone(), &mut literals);
            copy_code(&tokens, source, &mut text);
            labels_in(&tokens, &mut labels);
            names.read(tokens);
        }
        Code {
            text: String::from_utf8_lossy(&text).into_owned(),
            functions: found
                .functions
                .into_iter()
                .filter(|(at, _)| !is_test(*at))
                .map(|(_, function)| function)
                .collect(),
            paths: names
                .found
                .into_iter()
                .filter(|(at, _)| !is_test(*at))
                .map(|(_, named)| named)
                .collect(),
            modules: found
                .modules
                .into_iter()
                .map(|(module, at)| Module {
                    is_test: module.is_test || is_test(at),
                    ..module
                })
                .collect(),
            statements: found
                .statements
                .into_iter()
                .filter(|(at, _)| !is_test(*at))
                .map(|(_, said)| said)
                .collect(),
            labels: labels
                .into_iter()
                .filter(|(at, ..)| !is_test(*at))
                .map(|(_, label, line)| (label, line))
                .collect(),
            literals,
            declared: declared
                .0
                .into_iter()
                .filter(|(at, ..)| !is_test(*at))
                .map(|(_, name, line)| (name, line))
                .collect(),
            unparsed: file.err(),
            tests: found.tests,
        }
    }

    fn is_shipped(&self, at: usize) -> bool {
        !self.tests.iter().any(|range| range.contains(&at))
    }

    /// Lines that are not only built for tests, with their numbers from 1.
    pub fn shipped_lines(&self) -> Vec<(usize, &str)> {
        let mut at = 0;
        let mut lines = Vec::new();
        for (index, line) in self.text.split('\n').enumerate() {
            if self.is_shipped(at + line.len() - line.trim_start().len()) {
                lines.push((index + 1, line));
            }
            at += line.len() + 1;
        }
        lines
    }
}

/// Copies what is code from the source: all tokens but texts and characters. The tokens that comments of documentation become stand nowhere in the source.
fn copy_code(tokens: &TokenStream, source: &str, text: &mut [u8]) {
    for token in tokens.clone() {
        let mut copy = |span: Span, written: &str| {
            let range = span.byte_range();
            if source.get(range.clone()) == Some(written) {
                text[range].copy_from_slice(written.as_bytes());
            }
        };
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                copy(group.span_open(), open);
                copy(group.span_close(), close);
                copy_code(&group.stream(), source, text);
            }
            TokenTree::Literal(literal) => {
                let written = literal.to_string();
                if written.starts_with(|c: char| c.is_ascii_digit()) {
                    copy(literal.span(), &written);
                }
            }
            TokenTree::Ident(ident) => copy(ident.span(), &ident.to_string()),
            TokenTree::Punct(punct) => copy(punct.span(), &punct.as_char().to_string()),
        }
    }
}

/// Texts that begin with `label-`, each with its byte and its line.
fn labels_in(tokens: &TokenStream, found: &mut Vec<(usize, String, usize)>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => labels_in(&group.stream(), found),
            TokenTree::Literal(literal) => {
                let written = literal.to_string();
                let text = written.trim_matches('"');
                if written.starts_with('"') && text.starts_with("label-") && text != "label-" {
                    let span = literal.span();
                    found.push((span.byte_range().start, text.to_string(), span.start().line));
                }
            }
            _ => {}
        }
    }
}

/// What the parsed file tells; each with the byte where it begins.
#[derive(Default)]
struct Found {
    functions: Vec<(usize, Function)>,
    modules: Vec<(Module, usize)>,
    statements: Vec<(usize, Said)>,
    tests: Vec<Range<usize>>,
}

/// Names that a file declares, each with its byte and its line.
#[derive(Default)]
struct Declared(Vec<(usize, String, usize)>);

impl Declared {
    fn add(&mut self, ident: &syn::Ident) {
        let span = ident.span();
        self.0.push((
            span.byte_range().start,
            ident.to_string(),
            span.start().line,
        ));
    }
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_signature(&mut self, node: &'ast syn::Signature) {
        self.add(&node.ident);
        visit::visit_signature(self, node);
    }

    fn visit_item_struct(&mut self, node: &'ast syn::ItemStruct) {
        self.add(&node.ident);
        visit::visit_item_struct(self, node);
    }

    fn visit_item_enum(&mut self, node: &'ast syn::ItemEnum) {
        self.add(&node.ident);
        visit::visit_item_enum(self, node);
    }

    fn visit_variant(&mut self, node: &'ast syn::Variant) {
        self.add(&node.ident);
        visit::visit_variant(self, node);
    }

    fn visit_field(&mut self, node: &'ast syn::Field) {
        node.ident.iter().for_each(|ident| self.add(ident));
        visit::visit_field(self, node);
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        self.add(&node.ident);
        visit::visit_item_trait(self, node);
    }

    fn visit_item_type(&mut self, node: &'ast syn::ItemType) {
        self.add(&node.ident);
        visit::visit_item_type(self, node);
    }

    fn visit_item_const(&mut self, node: &'ast syn::ItemConst) {
        self.add(&node.ident);
        visit::visit_item_const(self, node);
    }

    fn visit_item_static(&mut self, node: &'ast syn::ItemStatic) {
        self.add(&node.ident);
        visit::visit_item_static(self, node);
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        self.add(&node.ident);
        visit::visit_item_mod(self, node);
    }
}

impl Found {
    fn function(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let start = signature.fn_token.span;
        let (first, last) = (start.start().line, body.brace_token.span.close().end().line);
        let function = Function {
            name: signature.ident.to_string(),
            line: first,
            lines: last - first + 1,
        };
        self.functions.push((start.byte_range().start, function));
    }

    /// Statements in what a macro is given.
    fn macro_expression(&mut self, expression: &syn::Expr) {
        let mut found = Found::default();
        found.visit_expr(expression);
        self.statements.extend(found.statements);
    }

    /// Remembers what is behind `#[cfg(test)]`.
    fn conditional(&mut self, attributes: &[syn::Attribute], whole: Span) {
        if let Some(attribute) = attributes.iter().find(|attribute| is_for_tests(attribute)) {
            let start = attribute.span().byte_range().start;
            self.tests.push(start..whole.byte_range().end);
        }
    }
}

/// True of `#[cfg(test)]` and `#[cfg(all(test, ...))]`, not of `#[cfg(not(test))]`.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    let words = list.tokens.to_string();
    list.path.is_ident("cfg") && !words_at(&words, "test").is_empty() && !words.contains("not")
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The identifiers in the argument of `Statement::new`; `None` for any other call.
fn statement_ids(call: &syn::ExprCall) -> Option<Vec<String>> {
    let syn::Expr::Path(path) = &*call.func else {
        return None;
    };
    let words: Vec<String> = path
        .path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    if !words.ends_with(&["Statement".to_string(), "new".to_string()]) {
        return None;
    }
    let mut texts = Texts::default();
    call.args
        .iter()
        .for_each(|argument| texts.visit_expr(argument));
    Some(texts.0)
}

/// Every text in an expression.
#[derive(Default)]
struct Texts(Vec<String>);

impl<'ast> Visit<'ast> for Texts {
    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.0.push(text.value());
    }
}

impl Found {
    /// A chain of calls on `Statement::new`, taken as one; `false`: it is none. Of a chain on a choice (`match`, `if`), what it gives belongs to each of
    /// the chosen.
    fn chain(&mut self, expression: &syn::Expr, given: &[String]) -> bool {
        let mut arguments = given.to_vec();
        let mut at = expression;
        let mut inner = Vec::new();
        while let syn::Expr::MethodCall(call) = at {
            if let Some(syn::Expr::Lit(literal)) = call.args.first()
                && let syn::Lit::Str(name) = &literal.lit
            {
                let method = call.method.to_string();
                if ["names", "parts", "with"].contains(&method.as_str()) {
                    arguments.push(format!("{}-count", name.value()));
                }
                arguments.push(name.value());
            }
            inner.extend(&call.args);
            at = &call.receiver;
        }
        if let Some((before, chosen)) = choices(at) {
            before.into_iter().for_each(|part| self.visit_expr(part));
            for one in chosen {
                if !self.chain(one, &arguments) {
                    self.visit_expr(one);
                }
            }
        } else {
            let syn::Expr::Call(call) = at else {
                return false;
            };
            let Some(ids) = statement_ids(call) else {
                return false;
            };
            let start = call.span();
            let said = Said {
                ids,
                arguments,
                line: start.start().line,
            };
            self.statements.push((start.byte_range().start, said));
        }
        inner
            .into_iter()
            .for_each(|argument| self.visit_expr(argument));
        true
    }
}

/// What decides, and what can come out of a `match` or an `if` whose branches are expressions; `None` for anything else.
fn choices(expression: &syn::Expr) -> Option<(Vec<&syn::Expr>, Vec<&syn::Expr>)> {
    match expression {
        syn::Expr::Match(chosen) => {
            let guards = chosen.arms.iter().filter_map(|arm| arm.guard.as_ref());
            let before = std::iter::once(&*chosen.expr).chain(guards.map(|(_, guard)| &**guard));
            let bodies = chosen.arms.iter().map(|arm| of_block(&arm.body));
            Some((before.collect(), bodies.collect()))
        }
        syn::Expr::If(chosen) => {
            let [syn::Stmt::Expr(then, None)] = chosen.then_branch.stmts.as_slice() else {
                return None;
            };
            let (_, otherwise) = chosen.else_branch.as_ref()?;
            Some((vec![&*chosen.cond], vec![then, of_block(otherwise)]))
        }
        _ => None,
    }
}

/// The only expression of a block; anything else as it is.
fn of_block(expression: &syn::Expr) -> &syn::Expr {
    match expression {
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(only, None)] => only,
            _ => expression,
        },
        other => other,
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_expr(&mut self, expression: &'ast syn::Expr) {
        if !self.chain(expression, &[]) {
            visit::visit_expr(self, expression);
        }
    }

    /// `vec![...]` and the like hold expressions.
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        use syn::parse::Parser;
        type Expressions = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;
        if let Ok(inner) = Expressions::parse_terminated.parse2(mac.tokens.clone()) {
            inner
                .iter()
                .for_each(|expression| self.macro_expression(expression));
        }
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.conditional(attributes_of(item), item.span());
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.conditional(&item.attrs, item.span());
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.conditional(&item.attrs, item.span());
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.conditional(&item.attrs, item.span());
        visit::visit_impl_item_const(self, item);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.conditional(&field.attrs, field.span());
        visit::visit_field(self, field);
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        self.conditional(&field.attrs, field.span());
        visit::visit_field_value(self, field);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.conditional(&variant.attrs, variant.span());
        visit::visit_variant(self, variant);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.conditional(&arm.attrs, arm.span());
        visit::visit_arm(self, arm);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_none() {
            let path = item.attrs.iter().find_map(|attribute| {
                let syn::Meta::NameValue(pair) = &attribute.meta else {
                    return None;
                };
                let syn::Expr::Lit(value) = &pair.value else {
                    return None;
                };
                match &value.lit {
                    syn::Lit::Str(text) if pair.path.is_ident("path") => Some(text.value()),
                    _ => None,
                }
            });
            let module = Module {
                name: item.ident.to_string(),
                is_test: item.attrs.iter().any(is_for_tests),
                path,
            };
            self.modules.push((module, item.span().byte_range().start));
        }
        visit::visit_item_mod(self, item);
    }
}

/// `(crate)` and `(in crate::x)` behind `pub`.
fn is_scope(token: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = token else {
        return false;
    };
    let first = group.stream().into_iter().next();
    let word = first.map(|token| token.to_string()).unwrap_or_default();
    ["in", "crate", "super", "self"].contains(&word.as_str())
}

/// Reads paths out of tokens: so they are found within macros too.
struct Names {
    modules: Vec<String>,
    found: Vec<(usize, Named)>,
}

impl Names {
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        let mut handed_on = false;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.read(group.stream()),
                // Who may see an item is said by a path, `pub(in crate::x)`, that uses nothing.
                TokenTree::Ident(word) if word == "pub" && is_scope(tokens.get(at + 1)) => at += 1,
                TokenTree::Ident(word) if word == "use" => {
                    handed_on = is_handed_on(&tokens[..at]);
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => handed_on = false,
                TokenTree::Ident(word) if self.begins(word, &tokens, at) => {
                    let span = word.span();
                    let start = (span.byte_range().start, span.start().line);
                    at = self.tree(&tokens, at, Vec::new(), start, handed_on);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn begins(&self, word: &proc_macro2::Ident, tokens: &[TokenTree], at: usize) -> bool {
        let word = word.to_string();
        let known =
            ["crate", "super", "self"].contains(&word.as_str()) || self.modules.contains(&word);
        let is_colon = |at: Option<usize>| {
            let token = at.and_then(|at| tokens.get(at));
            matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
        };
        let continues = is_colon(Some(at + 1)) && is_colon(Some(at + 2));
        // `other::module::x` is a path of something else.
        let inside = is_colon(at.checked_sub(1)) && is_colon(at.checked_sub(2));
        known && continues && !inside
    }

    /// One path, or the tree of a `use`, from `at` on; returns where it ends.
    fn tree(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        mut words: Vec<String>,
        start: (usize, usize),
        handed_on: bool,
    ) -> usize {
        let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        loop {
            match tokens.get(at) {
                Some(TokenTree::Ident(word)) => words.push(word.to_string()),
                Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => words.push("*".into()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let branches = inner.split(
                        |token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','),
                    );
                    for branch in branches.filter(|branch| !branch.is_empty()) {
                        self.tree(branch, 0, words.clone(), start, handed_on);
                    }
                    return at + 1;
                }
                _ => break,
            }
            at += 1;
            if !(is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))) {
                break;
            }
            at += 2;
        }
        let renamed = match (tokens.get(at), tokens.get(at + 1)) {
            (Some(TokenTree::Ident(word)), Some(TokenTree::Ident(name))) if word == "as" => {
                Some(name.to_string())
            }
            _ => None,
        };
        let named = Named {
            handed_on_as: handed_on
                .then(|| renamed.unwrap_or_else(|| words.last().cloned().unwrap_or_default())),
            words,
            line: start.1,
        };
        self.found.push((start.0, named));
        at
    }
}

/// True when what stands before a `use` makes it public: `pub`, `pub(crate)`.
fn is_handed_on(before: &[TokenTree]) -> bool {
    let is_pub =
        |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Ident(word)) if word == "pub");
    match before.last() {
        Some(TokenTree::Group(_)) => is_pub(before.iter().rev().nth(1)),
        last => is_pub(last),
    }
}

/// Where a word stands by itself, in bytes.
pub fn words_at(text: &str, word: &str) -> Vec<usize> {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let alone =
        |at: &usize| !text[..*at].ends_with(joins) && !text[at + word.len()..].starts_with(joins);
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(alone)
        .collect()
}

/// Where the bracket that `text` begins with is closed.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[test]
fn comments_and_texts_are_no_code() {
    for (source, expected) in [
        ("a // unsafe\nb", "a          \nb"),
        ("a /* x /* y */ z */ b", "a                   b"),
        (r#"a("x\"unsafe") b"#, "a(           ) b"),
        ("r#\"x\"y\"# b", "         b"),
        ("b\"x\" 'a' '\\'' '\\u{1F}' z", "                       z"),
        ("fn f<'a>(x: &'a u8)", "fn f<'a>(x: &'a u8)"),
        ("for 'é' in x", "for      in x"),
        ("/// unsafe\nfn a() {}", "          \nfn a() {}"),
        ("//! é unsafe\nx 12", "             \nx 12"),
    ] {
        assert_eq!(Code::of(source).text, expected, "{source}");
    }
}

#[test]
fn items_for_tests_do_not_ship() {
    let code = Code::of(
        "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\n#[cfg(all(test, unix))]\nmod far;\nfn c() {\n}\n",
    );
    let names: Vec<String> = code
        .functions
        .iter()
        .map(|function| format!("{} {}", function.name, function.lines))
        .collect();
    assert_eq!(names, ["a 1", "c 2"]);
    let modules: Vec<(&str, bool)> = code
        .modules
        .iter()
        .map(|module| (module.name.as_str(), module.is_test))
        .collect();
    assert_eq!(modules, [("far", true)]);
    let shipped: Vec<usize> = code.shipped_lines().iter().map(|(line, _)| *line).collect();
    assert_eq!(shipped, [1, 8, 9, 10]);
    assert_eq!(Code::of("#[cfg(not(test))]\nfn a() {}").functions.len(), 1);
    let field = Code::of("const A: R = R {\n b: 1,\n #[cfg(test)]\n c: tests::d,\n};\n");
    assert_eq!(field.shipped_lines().len(), 4);
}

#[test]
fn statements_are_found_with_their_arguments() {
    let code = Code::of(
        "fn f() -> Statement { Statement::new(\"a\").names(\"b\", x).part(\"c\", Statement::new(match y { 1 => \"d\", _ => \"e\" })) }\nfn g() { h(vec![Statement::new(\"i\")]); }\nfn k() { match l { 1 => Statement::new(\"m\"), _ => Statement::new(\"n\").name(\"o\", p) }.count(\"q\", 1) }\n",
    );
    let told: Vec<(String, String)> = code
        .statements
        .iter()
        .map(|said| (said.ids.join("|"), said.arguments.join(" ")))
        .collect();
    let expected = [
        ("a", "c b-count b"),
        ("d|e", ""),
        ("i", ""),
        ("m", "q"),
        ("n", "q o"),
    ];
    assert_eq!(
        told,
        expected.map(|(ids, arguments)| (ids.to_string(), arguments.to_string()))
    );
}

#[test]
fn paths_are_found_with_what_is_handed_on() {
    let code = Code::of(
        "mod child;\npub use child::{A, deep::B as C};\nuse crate::x::{self, y};\nfn f() { assert!(super::z()); std::fs::read(); }\n#[cfg(test)]\nmod t { use crate::far; }\n",
    );
    let told: Vec<String> = code
        .paths
        .iter()
        .map(|named| {
            let name = named.handed_on_as.clone().unwrap_or_default();
            format!("{} {} {name}", named.line, named.words.join("::"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "2 child::A A",
            "2 child::deep::B C",
            "3 crate::x::self ",
            "3 crate::x::y ",
            "4 super::z "
        ]
    );
}
