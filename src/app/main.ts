// Mounts the page. Everything heavy (charts, games, lab) is loaded later, by whoever first needs it.
import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';

const target = document.getElementById('app');
if (target) mount(App, { target });
