// Starts Swagger UI with the settings that the page carries.
const page = document.body.dataset;
const settings = JSON.parse(document.getElementById("swagger-settings").textContent);

// An operation's path is the name of the button that opens it: a link inside of a button is not reached by everybody.
const plainPaths = () => ({
  wrapComponents: {
    DeepLink: (_link, { React }) => ({ text }) => React.createElement("span", null, text),
  },
});

const withCsrf = (request) => {
  request.headers["X-CSRFToken"] = page.csrfToken;
  return request;
};

SwaggerUIBundle({
  ...settings,
  dom_id: "#swagger-ui",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [plainPaths],
  ...(page.apiCsrf && page.csrfToken ? { requestInterceptor: withCsrf } : {}),
});
